/// A CREATE TABLE statement, split into parts that can be compared.
struct TableDefinition {
    /// The names of the columns, in lower case and in order.
    private(set) var order: [ExactText] = []
    /// Type and constraints by column.
    private(set) var columns: [ExactText: SQLForm] = [:]
    /// The table's own constraints, unordered.
    private(set) var constraints: [SQLForm] = []
    /// STRICT and WITHOUT ROWID.
    private(set) var options: [String] = []

    /// Reads the whole statement and skips nothing.
    init(_ reader: DefinitionReader, name: String) throws(DefinitionReader.Unreadable) {
        var reader = reader
        _ = try reader.header("table", named: name)
        let parts = DefinitionReader.parts(try reader.group())
        try readOptions(&reader)
        // Reads all names first: an expression can use a later column.
        let split = parts.firstIndex(where: Self.isConstraint) ?? parts.count
        for part in parts[..<split] {
            var reader = DefinitionReader(part)
            order.append(try reader.name())
        }
        guard Set(order).count == order.count, !order.isEmpty else {
            throw DefinitionReader.Unreadable()
        }
        let names = Set(order)
        for part in parts[..<split] { try readColumn(part, names) }
        for part in parts[split...] { try readConstraints(part, names) }
    }

    private mutating func readOptions(
        _ reader: inout DefinitionReader
    ) throws(DefinitionReader.Unreadable) {
        guard !reader.isAtEnd else { return }
        repeat {
            if reader.take("without", "rowid") {
                options.append("without rowid")
            } else {
                try reader.require("strict")
                options.append("strict")
            }
        } while reader.take(",")
        try reader.requireEnd()
        options.sort()
    }

    private static func isConstraint(_ part: [DefinitionReader.Token]) -> Bool {
        ["constraint", "primary", "unique", "check", "foreign"].contains(part.first?.word)
    }

    // MARK: Columns

    private mutating func readColumn(
        _ part: [DefinitionReader.Token], _ names: Set<ExactText>
    ) throws(DefinitionReader.Unreadable) {
        var reader = DefinitionReader(part)
        let name = try reader.name()
        let type = try Self.type(&reader)
        var constraints = ColumnConstraints(names)
        try constraints.read(&reader)
        columns[name] = type + constraints.form
    }

    /// Words that end the type of a column.
    private static let stops: Set<String> = [
        "constraint", "primary", "not", "null", "unique", "check", "default", "collate",
        "references", "as", "deferrable",
    ]

    private static func type(
        _ reader: inout DefinitionReader
    ) throws(DefinitionReader.Unreadable) -> SQLForm {
        var form = SQLForm()
        while !reader.isAtEnd, reader.peek() != "(", !stops.contains(reader.peek()),
            !(reader.peek() == "generated" && reader.peek(1) == "always" && reader.peek(2) == "as")
        {
            form.tokens.append(SQLForm.name(try reader.name()))
        }
        guard reader.peek() == "(" else { return form }
        guard !form.tokens.isEmpty else { throw DefinitionReader.Unreadable() }
        let size = try reader.group()
        guard size.allSatisfy({ $0.kind == .number || ["+", "-", ","].contains($0.word) }) else {
            throw DefinitionReader.Unreadable()
        }
        return form + SQLForm(["("]) + SQLForm(size, .nothing) + SQLForm([")"])
    }

    // MARK: Constraints of the table

    /// SQLite does not require commas between these.
    private mutating func readConstraints(
        _ part: [DefinitionReader.Token], _ columns: Set<ExactText>
    ) throws(DefinitionReader.Unreadable) {
        var reader = DefinitionReader(part)
        guard !reader.isAtEnd else { throw DefinitionReader.Unreadable() }
        while !reader.isAtEnd {
            var form = try reader.constraintNames()
            if !reader.isAtEnd { form += try Self.constraint(&reader, columns) }
            constraints.append(form)
        }
    }

    private static func constraint(
        _ reader: inout DefinitionReader, _ columns: Set<ExactText>
    ) throws(DefinitionReader.Unreadable) -> SQLForm {
        if reader.take("primary", "key") {
            var inner = Array(try reader.group())
            var form = SQLForm(["primary", "key", "("])
            let autoincrements = inner.last?.word == "autoincrement"
            if autoincrements { inner.removeLast() }
            form += .list(try IndexedColumn.forms(inner, columns))
            form.tokens += autoincrements ? ["autoincrement", ")"] : [")"]
            return form + (try reader.conflictClause())
        }
        if reader.take("unique") {
            let columns = try IndexedColumn.forms(try reader.group(), columns)
            return SQLForm(["unique", "("]) + .list(columns) + SQLForm([")"])
                + (try reader.conflictClause())
        }
        if reader.take("check") {
            return try reader.check(columns) + (try reader.conflictClause())
        }
        if reader.take("foreign", "key") {
            let children = try reader.nameList()
            try reader.require("references")
            return SQLForm(["foreign", "key"]) + children + (try reader.reference())
        }
        throw DefinitionReader.Unreadable()
    }
}
