/// The constraints of a column, as its definition lists them after the type.
struct ColumnConstraints {
    /// The names of the table's columns, in lower case.
    let columns: Set<ExactText>
    private var found: [(rank: Rank, form: SQLForm)] = []

    /// The order of constraints in a form. SQLite accepts them in any order; of two defaults or two collations,
    /// the last one counts.
    private enum Rank: Int {
        case primaryKey, notNull, null, unique, check, fallback, collation, references, generated
        case name
    }

    init(_ columns: Set<ExactText>) { self.columns = columns }

    /// All constraints, in an order that does not depend on the order in the definition.
    var form: SQLForm {
        let ordered = found.enumerated().sorted { one, other in
            let ranks = (one.element.rank.rawValue, other.element.rank.rawValue)
            guard ranks.0 == ranks.1 else { return ranks.0 < ranks.1 }
            switch one.element.rank {
            case .fallback, .collation: return one.offset < other.offset
            default:
                return one.element.form < other.element.form
            }
        }
        return ordered.reduce(into: SQLForm()) { $0 += $1.element.form }
    }

    /// Reads all constraints to the end.
    mutating func read(_ reader: inout DefinitionReader) throws(DefinitionReader.Unreadable) {
        while !reader.isAtEnd {
            let form = try reader.constraintNames()
            guard !reader.isAtEnd else {
                // SQLite accepts a name without a constraint.
                found.append((.name, form))
                return
            }
            let (rank, constraint) = try read(one: &reader)
            found.append((rank, form + constraint))
        }
    }

    private func read(
        one reader: inout DefinitionReader
    ) throws(DefinitionReader.Unreadable) -> (Rank, SQLForm) {
        if reader.take("primary", "key") {
            var form = SQLForm(["primary", "key"])
            if !reader.take("asc"), reader.take("desc") { form.tokens.append("desc") }
            form += try reader.conflictClause()
            if reader.take("autoincrement") { form.tokens.append("autoincrement") }
            return (.primaryKey, form)
        }
        if reader.take("not", "null") {
            return (.notNull, SQLForm(["not", "null"]) + (try reader.conflictClause()))
        }
        if reader.take("null") {
            return (.null, SQLForm(["null"]) + (try reader.conflictClause()))
        }
        if reader.take("unique") {
            return (.unique, SQLForm(["unique"]) + (try reader.conflictClause()))
        }
        if reader.take("check") { return (.check, try reader.check(columns)) }
        if reader.take("default") { return (.fallback, try Self.fallback(&reader)) }
        if reader.take("collate") {
            return (.collation, SQLForm(["collate", SQLForm.name(try reader.name())]))
        }
        if reader.take("references") { return (.references, try reader.reference()) }
        // GENERATED ALWAYS adds no meaning.
        if reader.take("generated", "always", "as") || reader.take("as") {
            let expression = SQLForm(try reader.group(), .columns(columns))
            let isStored = reader.take("stored")
            if !isStored { _ = reader.take("virtual") }
            return (
                .generated,
                SQLForm(["as", "("]) + expression + SQLForm([")", isStored ? "stored" : "virtual"])
            )
        }
        throw DefinitionReader.Unreadable()
    }

    /// `DEFAULT 1` equals `DEFAULT (1)`. A word, quoted or not, is a string, so its case matters.
    private static func fallback(
        _ reader: inout DefinitionReader
    ) throws(DefinitionReader.Unreadable) -> SQLForm {
        var value: [DefinitionReader.Token] = []
        if reader.peek() == "(" {
            value = Array(try reader.group())
            while let inner = Self.withoutParentheses(value) { value = inner }
        } else {
            if reader.peek() == "+" || reader.peek() == "-" { value.append(try reader.next()) }
            value.append(try reader.next())
        }
        guard value.count == 1, let only = value.first else {
            return SQLForm(["default"]) + SQLForm(value, .nothing)
        }
        switch only.kind {
        case .word where !keywords.contains(only.word), .quotedName:
            return SQLForm(["default", NameScope.literal(SQLTokens.unquote(only.text))])
        default: return SQLForm(["default"]) + SQLForm(value, .nothing)
        }
    }

    private static let keywords: Set<String> = [
        "null", "true", "false", "current_date", "current_time", "current_timestamp",
    ]

    /// The content of a pair of parentheses, if the pair encloses all tokens.
    private static func withoutParentheses(
        _ tokens: [DefinitionReader.Token]
    ) -> [DefinitionReader.Token]? {
        var reader = DefinitionReader(tokens)
        guard let inner = try? reader.group(), reader.isAtEnd else { return nil }
        return Array(inner)
    }
}

/// Clauses that columns and tables share.
extension DefinitionReader {
    /// The names of a constraint.
    mutating func constraintNames() throws(Unreadable) -> SQLForm {
        var form = SQLForm()
        while take("constraint") { form.tokens += ["constraint", SQLForm.name(try name())] }
        return form
    }

    mutating func conflictClause() throws(Unreadable) -> SQLForm {
        guard take("on", "conflict") else { return SQLForm() }
        let action = try next().word
        guard ["rollback", "abort", "fail", "ignore", "replace"].contains(action) else {
            throw Unreadable()
        }
        return SQLForm(["on", "conflict", ExactText(action)])
    }

    mutating func check(_ columns: Set<ExactText>) throws(Unreadable) -> SQLForm {
        let condition = SQLForm(try group(), .columns(columns))
        return SQLForm(["check", "("]) + condition + SQLForm([")"])
    }

    /// Reads the clauses after REFERENCES.
    mutating func reference() throws(Unreadable) -> SQLForm {
        var form = SQLForm(["references", SQLForm.name(try name())])
        if peek() == "(" { form += try nameList() }
        var actions: [String: [ExactText]] = [:]
        var match: [ExactText] = []
        while true {
            if take("on") {
                let event = try next().word
                guard ["delete", "update", "insert"].contains(event) else { throw Unreadable() }
                actions[event] = try action()
            } else if take("match") {
                match = ["match", SQLForm.name(try name())]
            } else {
                break
            }
        }
        for event in actions.keys.sorted() {
            // NO ACTION is the default.
            guard let action = actions[event], action != ["no", "action"] || event == "insert"
            else { continue }
            form.tokens += ["on", ExactText(event)] + action
        }
        form.tokens += match
        if take("not", "deferrable") {
            form.tokens += ["not", "deferrable"]
        } else if take("deferrable") {
            form.tokens.append("deferrable")
        } else {
            return form
        }
        if take("initially", "deferred") { form.tokens += ["initially", "deferred"] }
        if take("initially", "immediate") { form.tokens += ["initially", "immediate"] }
        return form
    }

    private mutating func action() throws(Unreadable) -> [ExactText] {
        for words in [["set", "null"], ["set", "default"], ["no", "action"]]
        where take(words[0], words[1]) { return words.map { ExactText($0) } }
        let word = try next().word
        guard ["cascade", "restrict"].contains(word) else { throw Unreadable() }
        return [ExactText(word)]
    }

    /// Names in parentheses, as a form.
    mutating func nameList() throws(Unreadable) -> SQLForm {
        let names = try names().map { SQLForm([SQLForm.name($0)]) }
        return SQLForm(["("]) + .list(names) + SQLForm([")"])
    }
}
