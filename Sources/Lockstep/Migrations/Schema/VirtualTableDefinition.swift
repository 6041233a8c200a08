/// A parsed CREATE VIRTUAL TABLE statement. Each module defines the language of its arguments. In the known
/// modules of SQLite, words can be quoted, and the names of columns and options are case-insensitive.
struct VirtualTableDefinition {
    let module: ExactText
    let arguments: SQLForm

    private static let known: Set<ExactText> = ["fts3", "fts4", "fts5"]

    init(_ reader: DefinitionReader, name: String) throws(DefinitionReader.Unreadable) {
        var reader = reader
        _ = try reader.header("table", named: name, allowing: "virtual")
        try reader.require("using")
        let module = try reader.name()
        self.module = module
        var arguments: [SQLForm] = []
        if !reader.isAtEnd {
            let inner = try reader.group()
            if !inner.isEmpty {
                arguments = DefinitionReader.parts(inner).map { Self.argument($0, module) }
            }
        }
        try reader.requireEnd()
        self.arguments = .list(arguments)
    }

    private static func argument(_ tokens: [DefinitionReader.Token], _ module: ExactText) -> SQLForm
    {
        let texts = SQLForm(tokens.map { ExactText($0.text) })
        guard known.contains(module), let first = tokens.first,
            [.word, .quotedName].contains(first.kind)
        else { return texts }
        if tokens.count == 1 { return SQLForm([SQLForm.name(first.name)]) }
        guard tokens[1].word == "=" else {
            // A column and its options.
            guard tokens.allSatisfy({ $0.kind == .word || $0.kind == .quotedName }) else {
                return texts
            }
            return SQLForm([SQLForm.name(first.name)] + tokens.dropFirst().map(\.name))
        }
        let value = tokens.dropFirst(2)
        guard value.count == 1, let only = value.first,
            [.word, .string, .quotedName].contains(only.kind)
        else { return SQLForm([first.name, "="] + value.map { ExactText($0.text) }) }
        return SQLForm([first.name, "=", NameScope.literal(SQLTokens.unquote(only.text))])
    }
}
