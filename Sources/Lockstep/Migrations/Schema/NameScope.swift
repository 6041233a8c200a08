/// The possible meanings of a quoted word in its position.
///
/// In SQLite a word in double quotes that matches no name is a string, and its case matters. The engine's own
/// connections refuse that in new definitions, but SQLite still reads existing ones.
enum NameScope {
    /// No names exist here, as in a DEFAULT. A word in double quotes is a string.
    case nothing
    /// An expression over one table: a word that matches no column is a string.
    case columns(Set<SQLName>)
    /// A statement with names for tables, columns and the objects that it introduces itself. The names of the
    /// schema are given.
    case query(Set<SQLName>)
    /// A definition that could not be read: the meaning of words is unknown, and no forms are treated as equal.
    case unread

    /// Words with different meanings bare and quoted in the same position: times, truth values, and the RAISE of
    /// a trigger.
    private static let dual: Set<SQLName> = [
        "current_date", "current_time", "current_timestamp", "true", "false", "raise",
    ]
    /// The same inside a statement: `FROM a left JOIN b` is not `FROM a "left" JOIN b`, for example.
    private static let dualInQuery: Set<SQLName> = [
        "cross", "full", "inner", "left", "natural", "outer", "right", "unbounded", "window",
        "over", "filter", "indexed",
    ]

    /// The canonical form of the quoted token at `index`.
    func canonical(_ index: Int, _ tokens: [SQLCursor.Token]) -> ExactText {
        let token = tokens[index]
        let name = token.name
        switch self {
        case .unread: return ExactText(SQLTokens.quote(name.spelling))
        case .nothing where token.isDoubleQuoted && !Self.isSurelyName(index, tokens),
            .columns
        where token.isDoubleQuoted && !isKnown(name)
            && !Self.isSurelyName(index, tokens):
            return Self.literal(name.spelling)
        case .query
        where token.isDoubleQuoted && !isKnown(name) && ExactText(name.spelling) != ExactText(name.folded)
            && !Self.isSurelyName(index, tokens):
            return ExactText(SQLTokens.quote(name.spelling))
        default: break
        }
        guard !Self.dual.contains(name), !isDualInQuery(name) else {
            return ExactText(SQLTokens.quote(name.folded))
        }
        return SQLForm.name(name)
    }

    /// An SQL string literal.
    static func literal(_ text: String) -> ExactText { ExactText(SQLTokens.quoteText(text)) }

    private func isDualInQuery(_ name: SQLName) -> Bool {
        guard case .query = self else { return false }
        return Self.dualInQuery.contains(name)
    }

    private func isKnown(_ name: SQLName) -> Bool {
        switch self {
        case .nothing, .unread: false
        case .columns(let names), .query(let names):
            names.contains(name) || RowIDName.all.contains(name)
        }
    }

    /// Whether a string is impossible in this position, or would be a name as well.
    private static func isSurelyName(_ index: Int, _ tokens: [SQLCursor.Token]) -> Bool {
        let before = index > 0 ? tokens[index - 1].word : ""
        let after = index + 1 < tokens.count ? tokens[index + 1].word : ""
        return [".", "as", "collate"].contains(before) || [".", "("].contains(after)
    }

    // MARK: The schema's own name

    /// Whether `main` at `index` is the schema of a table, which a definition in `main` can omit: only a table
    /// can follow FROM and similar words.
    func drops(mainAt index: Int, _ tokens: [SQLCursor.Token]) -> Bool {
        guard case .query = self, index > 0, index + 2 < tokens.count,
            tokens[index + 1].word == ".", tokens[index].name == "main"
        else { return false }
        return ["from", "join", "into", "update"].contains(tokens[index - 1].word)
    }

    /// Whether the dot at `index` belongs to such a `main`.
    func drops(dotAt index: Int, _ tokens: [SQLCursor.Token]) -> Bool {
        tokens[index].word == "." && index > 0 && drops(mainAt: index - 1, tokens)
    }

    /// The names that a statement itself introduces: names after AS or next to a dot, and all bare
    /// words.
    static func names(in tokens: [SQLCursor.Token]) -> Set<SQLName> {
        var names: Set<SQLName> = []
        for (index, token) in tokens.enumerated() {
            switch token.kind {
            case .quotedName where token.isDoubleQuoted && !isSurelyName(index, tokens): continue
            case .word, .quotedName: names.insert(token.name)
            default: continue
            }
        }
        return names
    }
}
