/// A parsed CREATE TRIGGER statement.
struct TriggerDefinition {
    /// The time and the event: before, after or instead of an insert, update or delete.
    let event: SQLForm
    /// The columns whose update fires it; nil for all.
    let columns: SQLForm?
    let table: SQLName
    let condition: SQLForm?
    let body: SQLForm

    /// - Parameter names: The names in the schema.
    init(
        _ cursor: SQLCursor, name: String, names: Set<SQLName>
    ) throws(SQLCursor.Unexpected) {
        let scope = NameScope.query(names.union(NameScope.names(in: cursor.tokens)))
        var cursor = cursor
        _ = try cursor.header("trigger", named: name)
        var time: [ExactText] = ["before"]
        if cursor.take("after") {
            time = ["after"]
        } else if cursor.take("instead", "of") {
            time = ["instead", "of"]
        } else {
            // BEFORE is the default.
            _ = cursor.take("before")
        }
        let event = try cursor.next().word
        guard ["insert", "update", "delete"].contains(event) else {
            throw SQLCursor.Unexpected()
        }
        self.event = SQLForm(time + [ExactText(event)])
        var columns: [SQLForm] = []
        if event == "update", cursor.take("of") {
            repeat {
                columns.append(SQLForm([SQLForm.name(try cursor.name())]))
            } while cursor.take(",")
        }
        self.columns = columns.isEmpty ? nil : .list(columns)
        try cursor.require("on")
        table = try cursor.name()
        // SQLite has no other kind.
        _ = cursor.take("for", "each", "row")
        condition = cursor.take("when") ? SQLForm(try cursor.upTo("begin"), scope) : nil
        if condition == nil { try cursor.require("begin") }
        var body = cursor.rest()
        guard body.popLast()?.word == "end" else { throw SQLCursor.Unexpected() }
        self.body = SQLForm(body, scope)
    }
}
