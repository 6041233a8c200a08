/// The change that an ALTER TABLE statement makes.
enum AlterStatement: Equatable {
    case renameTable(SQLName, to: SQLName)
    case renameColumn(SQLName, to: SQLName)
    case addColumn(refers: Bool)
    case dropColumn(SQLName)

    /// Nil for any other SQL.
    init?(_ sql: String) {
        var cursor = SQLCursor(sql)
        guard cursor.take("alter", "table"), let change = try? Self.change(&cursor) else {
            return nil
        }
        self = change
    }

    private static func change(
        _ cursor: inout SQLCursor
    ) throws(SQLCursor.Unexpected) -> AlterStatement {
        let table = try cursor.objectName()
        if cursor.take("rename", "to") { return .renameTable(table, to: try cursor.name()) }
        if cursor.take("add") { return .addColumn(refers: cursor.contains("references")) }
        let isDrop = cursor.take("drop")
        if !isDrop { try cursor.require("rename") }
        // The position distinguishes names from keywords.
        if cursor.peek(1) != "to" { _ = cursor.take("column") }
        let column = try cursor.name()
        guard !isDrop else { return .dropColumn(column) }
        try cursor.require("to")
        return .renameColumn(column, to: try cursor.name())
    }
}
