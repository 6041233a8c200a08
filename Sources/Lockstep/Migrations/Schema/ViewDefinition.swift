/// A parsed CREATE VIEW statement.
struct ViewDefinition {
    /// The column names that it declares, if any.
    let columns: SQLForm?
    let body: SQLForm

    /// - Parameter names: The names in the schema, in lower case.
    init(
        _ reader: DefinitionReader, name: String, names: Set<ExactText>
    ) throws(DefinitionReader.Unreadable) {
        let scope = NameScope.query(names.union(NameScope.names(in: reader.tokens)))
        var reader = reader
        _ = try reader.header("view", named: name)
        columns = reader.peek() == "(" ? try reader.nameList() : nil
        try reader.require("as")
        body = SQLForm(reader.rest(), scope)
        guard !body.tokens.isEmpty else { throw DefinitionReader.Unreadable() }
    }
}
