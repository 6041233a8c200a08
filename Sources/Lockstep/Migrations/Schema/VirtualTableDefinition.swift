/// A parsed CREATE VIRTUAL TABLE statement. Each module defines the language of its arguments. In the known
/// modules of SQLite, words can be quoted, and the names of columns and options are case-insensitive.
struct VirtualTableDefinition {
    let module: SQLName
    let arguments: SQLForm

    private static let known: Set<SQLName> = ["fts3", "fts4", "fts5"]

    init(_ cursor: SQLCursor, name: String) throws(SQLCursor.Unexpected) {
        var cursor = cursor
        _ = try cursor.header("table", named: name, allowing: "virtual")
        try cursor.require("using")
        let module = try cursor.name()
        self.module = module
        var arguments: [SQLForm] = []
        if !cursor.isAtEnd {
            let inner = try cursor.group()
            if !inner.isEmpty {
                arguments = SQLCursor.parts(inner).map { Self.argument($0, module) }
            }
        }
        try cursor.requireEnd()
        self.arguments = .list(arguments)
    }

    private static func argument(_ tokens: [SQLCursor.Token], _ module: SQLName) -> SQLForm {
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
            return SQLForm([SQLForm.name(first.name)] + tokens.dropFirst().map { ExactText($0.name.folded) })
        }
        let value = tokens.dropFirst(2)
        guard value.count == 1, let only = value.first, [.word, .string, .quotedName].contains(only.kind) else {
            return SQLForm([ExactText(first.name.folded), "="] + value.map { ExactText($0.text) })
        }
        return SQLForm([ExactText(first.name.folded), "=", NameScope.literal(SQLTokens.unquote(only.text))])
    }
}
