/// A table, index, trigger or view, split into facts that can be compared one by one.
struct DefinedObject: Sendable {
    /// `table`, `index`, `trigger` or `view`.
    let type: String
    let name: String
    /// The table that an index or trigger belongs to.
    let table: String
    /// The SQL as SQLite stores it.
    let sql: String
    /// Forms by subject: `column title`, `body`. A definition that cannot be read has the single fact
    /// `definition`.
    private(set) var facts: [ExactText: SQLForm] = [:]
    /// The columns' facts without their types.
    private var untyped: [ExactText: SQLForm] = [:]
    /// The table's own constraints.
    private(set) var constraints: [SQLForm] = []
    /// The table's columns, in order.
    private(set) var order: [SQLName] = []

    init(type: String, name: String, table: String, sql: String) {
        (self.type, self.name, self.table, self.sql) = (type, name, table, sql)
    }

    /// Objects with the same key are the same object to SQLite.
    var key: Key { Key(type: type, name: SQLName(name)) }

    struct Key: Hashable {
        let type: String
        let name: SQLName
    }

    func isSame(as other: DefinedObject) -> Bool {
        facts == other.facts && order == other.order && Self.sorted(constraints) == Self.sorted(other.constraints)
    }

    /// Like the other comparison, but a column that the other definition leaves untyped matches any type.
    func ignoringTypes(whereNoneIn other: DefinedObject) -> DefinedObject {
        var object = self
        for (subject, form) in other.untyped where other.facts[subject] == form {
            if let own = untyped[subject] { object.facts[subject] = own }
        }
        return object
    }

    // MARK: Reading

    /// Reads the definition of a table, which does not depend on other objects.
    mutating func readTable() {
        let cursor = SQLCursor(definition: sql)
        do {
            if cursor.peek(1) == "virtual" {
                let definition = try VirtualTableDefinition(cursor, name: name)
                facts["module"] = SQLForm([ExactText(definition.module.folded)])
                facts["arguments"] = definition.arguments
                return
            }
            let definition = try TableDefinition(cursor, name: name)
            order = definition.order
            for (column, form) in definition.columns {
                facts[ExactText("column \(column.folded)")] = form
            }
            for (column, form) in definition.untyped {
                untyped[ExactText("column \(column.folded)")] = form
            }
            constraints = definition.constraints
            if !definition.options.isEmpty {
                facts["options"] = SQLForm(definition.options.map { ExactText($0) })
            }
        } catch {
            facts["definition"] = SQLForm(cursor.tokens, .unread)
        }
    }

    /// Reads the definition of an index, trigger or view, which depends on tables.
    /// - Parameters:
    ///   - names: The names in the schema.
    ///   - columns: Returns the columns of the table with a given name.
    mutating func read(names: Set<SQLName>, columns: (SQLName) -> Set<SQLName>) {
        var cursor = SQLCursor(definition: sql)
        if type == "trigger", name.begins(with: EngineTables.guardPrefix) {
            cursor = SealingGuard.comparable(cursor)
        }
        do {
            switch type {
            case "index": read(try IndexDefinition(cursor, name: name, columns: columns))
            case "trigger": read(try TriggerDefinition(cursor, name: name, names: names))
            case "view":
                let definition = try ViewDefinition(cursor, name: name, names: names)
                facts["columns"] = definition.columns
                facts["body"] = definition.body
            default: throw SQLCursor.Unexpected()
            }
        } catch {
            facts["definition"] = SQLForm(cursor.tokens, .unread)
        }
    }

    private mutating func read(_ definition: IndexDefinition) {
        facts["kind"] = SQLForm(definition.isUnique ? ["unique"] : ["not", "unique"])
        facts["table"] = SQLForm([ExactText(definition.table.folded)])
        facts["columns"] = definition.columns
        facts["condition"] = definition.condition
    }

    private mutating func read(_ definition: TriggerDefinition) {
        facts["event"] = definition.event
        facts["columns"] = definition.columns
        facts["table"] = SQLForm([ExactText(definition.table.folded)])
        facts["condition"] = definition.condition
        facts["body"] = definition.body
    }

    // MARK: Comparing

    /// The differences from the expected object: the subject, the actual form, the expected form.
    func details(against other: DefinedObject) -> [String] {
        var details: [String] = []
        for subject in Set(facts.keys).union(other.facts.keys).sorted() where facts[subject] != other.facts[subject] {
            details.append(Self.detail(subject.text, facts[subject], other.facts[subject]))
        }
        let common = Set(order).intersection(other.order)
        let (there, expected) = (order.filter(common.contains), other.order.filter(common.contains))
        if there != expected {
            details.append(
                "order of columns: \(there.map(\.folded).joined(separator: ", ")), "
                    + "expected \(expected.map(\.folded).joined(separator: ", "))")
        }
        return details + constraintDetails(against: other)
    }

    private func constraintDetails(against other: DefinedObject) -> [String] {
        var (extra, missing) = (Self.sorted(constraints), Self.sorted(other.constraints))
        for constraint in extra {
            guard let match = missing.firstIndex(of: constraint),
                let own = extra.firstIndex(of: constraint)
            else { continue }
            missing.remove(at: match)
            extra.remove(at: own)
        }
        var details: [String] = []
        // If one constraint of a kind is extra and one is missing, it is the same constraint, changed.
        for constraint in extra {
            let kind = Self.kind(constraint)
            let counterparts = missing.filter { Self.kind($0) == kind }
            let isOnly = extra.count { Self.kind($0) == kind } == 1 && counterparts.count == 1
            let counterpart = isOnly ? counterparts.first : nil
            details.append(Self.detail("constraint", constraint, counterpart))
            if let counterpart { missing.removeAll { $0 == counterpart } }
        }
        return details + missing.map { Self.detail("constraint", nil, $0) }
    }

    private static func detail(_ subject: String, _ found: SQLForm?, _ wanted: SQLForm?) -> String {
        switch (found, wanted) {
        case (let found?, let wanted?):
            let (there, expected) = SQLForm.excerpts(found, wanted)
            return "\(subject): \(shown(there)), expected \(shown(expected))"
        case (let found?, nil): return "\(subject): \(shown(found.text)), expected absent"
        case (nil, let wanted?): return "\(subject): absent, expected \(shown(wanted.text))"
        case (nil, nil): return subject
        }
    }

    private static func shown(_ text: String) -> String { text.isEmpty ? "nothing" : text }

    /// The kind of a constraint, without its name.
    private static func kind(_ constraint: SQLForm) -> ExactText? {
        var words = constraint.tokens[...]
        while words.first == "constraint" { words = words.dropFirst(2) }
        return words.first
    }

    private static func sorted(_ forms: [SQLForm]) -> [SQLForm] {
        forms.sorted()
    }
}
