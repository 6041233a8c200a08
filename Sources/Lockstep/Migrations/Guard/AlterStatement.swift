/// The change that an ALTER TABLE statement makes.
enum AlterStatement: Equatable {
    case renameTable
    /// The old name.
    case renameColumn(SQLName)
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
        _ = try cursor.objectName()
        if cursor.take("rename", "to") { return .renameTable }
        if cursor.take("add") { return .addColumn(refers: cursor.contains("references")) }
        let isDrop = cursor.take("drop")
        if !isDrop { try cursor.require("rename") }
        // The position distinguishes names from keywords.
        if cursor.peek(1) != "to" { _ = cursor.take("column") }
        return isDrop ? .dropColumn(try cursor.name()) : .renameColumn(try cursor.name())
    }
}
