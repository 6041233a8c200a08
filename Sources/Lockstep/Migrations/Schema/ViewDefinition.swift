/// A parsed CREATE VIEW statement.
struct ViewDefinition {
    /// The column names that it declares, if any.
    let columns: SQLForm?
    let body: SQLForm

    /// - Parameter names: The names in the schema.
    init(
        _ cursor: SQLCursor, name: String, names: Set<SQLName>
    ) throws(SQLCursor.Unexpected) {
        let scope = NameScope.query(names.union(NameScope.names(in: cursor.tokens)))
        var cursor = cursor
        _ = try cursor.header("view", named: name)
        columns = cursor.peek() == "(" ? try cursor.nameList() : nil
        try cursor.require("as")
        body = SQLForm(cursor.rest(), scope)
        guard !body.tokens.isEmpty else { throw SQLCursor.Unexpected() }
    }
}
