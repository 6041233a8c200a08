/// A parsed CREATE TRIGGER statement.
struct TriggerDefinition {
    /// The time and the event: before, after or instead of an insert, update or delete.
    let event: SQLForm
    /// The columns whose update fires it; nil for all.
    let columns: SQLForm?
    let table: ExactText
    let condition: SQLForm?
    let body: SQLForm

    /// - Parameter names: The names in the schema, in lower case.
    init(
        _ reader: DefinitionReader, name: String, names: Set<ExactText>
    ) throws(DefinitionReader.Unreadable) {
        let scope = NameScope.query(names.union(NameScope.names(in: reader.tokens)))
        var reader = reader
        _ = try reader.header("trigger", named: name)
        var time: [ExactText] = ["before"]
        if reader.take("after") {
            time = ["after"]
        } else if reader.take("instead", "of") {
            time = ["instead", "of"]
        } else {
            // BEFORE is the default.
            _ = reader.take("before")
        }
        let event = try reader.next().word
        guard ["insert", "update", "delete"].contains(event) else {
            throw DefinitionReader.Unreadable()
        }
        self.event = SQLForm(time + [ExactText(event)])
        var columns: [SQLForm] = []
        if event == "update", reader.take("of") {
            repeat {
                columns.append(SQLForm([SQLForm.name(try reader.name())]))
            } while reader.take(",")
        }
        self.columns = columns.isEmpty ? nil : .list(columns)
        try reader.require("on")
        table = try reader.name()
        // SQLite has no other kind.
        _ = reader.take("for", "each", "row")
        condition = reader.take("when") ? SQLForm(try reader.upTo("begin"), scope) : nil
        if condition == nil { try reader.require("begin") }
        var body = reader.rest()
        guard body.popLast()?.word == "end" else { throw DefinitionReader.Unreadable() }
        self.body = SQLForm(body, scope)
    }
}
