/// What a CREATE TRIGGER says.
struct TriggerDefinition {
    /// Before, after or instead of what.
    let event: SQLForm
    /// Of which columns an update fires it.
    let columns: SQLForm?
    let table: ExactText
    let condition: SQLForm?
    let body: SQLForm

    /// - Parameter names: What the schema has names for, in lower case.
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
            // What a trigger does that does not say when.
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
        // There is no other kind.
        _ = reader.take("for", "each", "row")
        condition = reader.take("when") ? SQLForm(try reader.upTo("begin"), scope) : nil
        if condition == nil { try reader.require("begin") }
        var body = reader.rest()
        guard body.popLast()?.word == "end" else { throw DefinitionReader.Unreadable() }
        self.body = SQLForm(body, scope)
    }
}
