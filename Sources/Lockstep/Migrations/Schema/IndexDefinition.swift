/// A parsed CREATE INDEX statement.
struct IndexDefinition {
    let isUnique: Bool
    let table: SQLName
    let columns: SQLForm
    /// Nil for an index of all rows.
    let condition: SQLForm?

    /// - Parameter columns: Returns the column names of a table.
    init(
        _ cursor: SQLCursor, name: String, columns: (SQLName) -> Set<SQLName>
    ) throws(SQLCursor.Unexpected) {
        var cursor = cursor
        isUnique = try cursor.header("index", named: name, allowing: "unique")
        try cursor.require("on")
        table = try cursor.name()
        let names = columns(table)
        self.columns = .list(try IndexedColumn.forms(try cursor.group(), names))
        if cursor.isAtEnd {
            condition = nil
        } else {
            try cursor.require("where")
            condition = SQLForm(cursor.rest(), .columns(names))
        }
    }
}
