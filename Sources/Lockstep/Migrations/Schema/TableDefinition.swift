/// A CREATE TABLE statement, split into parts that can be compared.
struct TableDefinition {
    /// The names of the columns and in order.
    private(set) var order: [SQLName] = []
    /// Type and constraints by column.
    private(set) var columns: [SQLName: SQLForm] = [:]
    /// The constraints by column.
    private(set) var untyped: [SQLName: SQLForm] = [:]
    /// The table's own constraints, unordered.
    private(set) var constraints: [SQLForm] = []
    /// STRICT and WITHOUT ROWID.
    private(set) var options: [String] = []

    /// Reads the whole statement and skips nothing.
    init(_ cursor: SQLCursor, name: String) throws(SQLCursor.Unexpected) {
        var cursor = cursor
        _ = try cursor.header("table", named: name)
        let parts = SQLCursor.parts(try cursor.group())
        try readOptions(&cursor)
        // Reads all names first: an expression can use a later column.
        let split = parts.firstIndex(where: Self.isConstraint) ?? parts.count
        for part in parts[..<split] {
            var cursor = SQLCursor(part)
            order.append(try cursor.name())
        }
        guard Set(order).count == order.count, !order.isEmpty else {
            throw SQLCursor.Unexpected()
        }
        let names = Set(order)
        for part in parts[..<split] { try readColumn(part, names) }
        for part in parts[split...] { try readConstraints(part, names) }
    }

    private mutating func readOptions(
        _ cursor: inout SQLCursor
    ) throws(SQLCursor.Unexpected) {
        guard !cursor.isAtEnd else { return }
        repeat {
            if cursor.take("without", "rowid") {
                options.append("without rowid")
            } else {
                try cursor.require("strict")
                options.append("strict")
            }
        } while cursor.take(",")
        try cursor.requireEnd()
        options.sort()
    }

    private static func isConstraint(_ part: [SQLCursor.Token]) -> Bool {
        ["constraint", "primary", "unique", "check", "foreign"].contains(part.first?.word)
    }

    // MARK: Columns

    private mutating func readColumn(
        _ part: [SQLCursor.Token], _ names: Set<SQLName>
    ) throws(SQLCursor.Unexpected) {
        var cursor = SQLCursor(part)
        let name = try cursor.name()
        let type = try Self.type(&cursor)
        var constraints = ColumnConstraints(names)
        try constraints.read(&cursor)
        columns[name] = type + constraints.form
        untyped[name] = constraints.form
    }

    /// Words that end the type of a column.
    private static let stops: Set<String> = [
        "constraint", "primary", "not", "null", "unique", "check", "default", "collate",
        "references", "as", "deferrable",
    ]

    private static func type(
        _ cursor: inout SQLCursor
    ) throws(SQLCursor.Unexpected) -> SQLForm {
        var form = SQLForm()
        while !cursor.isAtEnd, cursor.peek() != "(", !stops.contains(cursor.peek()),
            !(cursor.peek() == "generated" && cursor.peek(1) == "always" && cursor.peek(2) == "as")
        {
            form.tokens.append(SQLForm.name(try cursor.name()))
        }
        guard cursor.peek() == "(" else { return form }
        guard !form.tokens.isEmpty else { throw SQLCursor.Unexpected() }
        let size = try cursor.group()
        guard size.allSatisfy({ $0.kind == .number || ["+", "-", ","].contains($0.word) }) else {
            throw SQLCursor.Unexpected()
        }
        return form + SQLForm(["("]) + SQLForm(size, .nothing) + SQLForm([")"])
    }

    // MARK: Constraints of the table

    /// SQLite does not require commas between these.
    private mutating func readConstraints(
        _ part: [SQLCursor.Token], _ columns: Set<SQLName>
    ) throws(SQLCursor.Unexpected) {
        var cursor = SQLCursor(part)
        guard !cursor.isAtEnd else { throw SQLCursor.Unexpected() }
        while !cursor.isAtEnd {
            var form = SQLForm()
            while cursor.take("constraint") {
                form.tokens += ["constraint", SQLForm.name(try cursor.name())]
            }
            if !cursor.isAtEnd { form += try Self.constraint(&cursor, columns) }
            constraints.append(form)
        }
    }

    private static func constraint(
        _ cursor: inout SQLCursor, _ columns: Set<SQLName>
    ) throws(SQLCursor.Unexpected) -> SQLForm {
        if cursor.take("primary", "key") {
            var inner = Array(try cursor.group())
            var form = SQLForm(["primary", "key", "("])
            let autoincrements = inner.last?.word == "autoincrement"
            if autoincrements { inner.removeLast() }
            form += .list(try IndexedColumn.forms(inner, columns))
            form.tokens += autoincrements ? ["autoincrement", ")"] : [")"]
            return form + (try cursor.conflictClause())
        }
        if cursor.take("unique") {
            let columns = try IndexedColumn.forms(try cursor.group(), columns)
            return SQLForm(["unique", "("]) + .list(columns) + SQLForm([")"]) + (try cursor.conflictClause())
        }
        if cursor.take("check") {
            return try cursor.check(columns) + (try cursor.conflictClause())
        }
        if cursor.take("foreign", "key") {
            let children = try cursor.nameList()
            try cursor.require("references")
            return SQLForm(["foreign", "key"]) + children + (try cursor.reference())
        }
        throw SQLCursor.Unexpected()
    }
}
