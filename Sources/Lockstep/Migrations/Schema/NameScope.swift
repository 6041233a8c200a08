/// What a quoted word may mean where it stands.
///
/// In double quotes a word that names nothing is a string to SQLite, in which case matters. The engine's own
/// connections refuse that in new definitions, but SQLite goes on reading those that are there.
enum NameScope {
    /// Nothing has a name here: a DEFAULT. In double quotes it is a string.
    case nothing
    /// An expression over one table: what is none of its columns is a string.
    case columns(Set<ExactText>)
    /// A statement, in which tables, columns and what the statement itself introduces have names; those
    /// of the schema are given, in lower case.
    case query(Set<ExactText>)
    /// A definition that could not be read: nobody knows what a word means, and nothing is taken for equal.
    case unread

    /// The names that every table with rowids has.
    private static let rowIDs: Set<ExactText> = ["rowid", "oid", "_rowid_"]

    /// Words that mean one thing bare and another one quoted, both in the same place: the time, the truth
    /// values, and what a trigger raises.
    private static let dual: Set<ExactText> = [
        "current_date", "current_time", "current_timestamp", "true", "false", "raise",
    ]
    /// The same within a statement: `FROM a left JOIN b` is not `FROM a "left" JOIN b`, and so on.
    private static let dualInQuery: Set<ExactText> = [
        "cross", "full", "inner", "left", "natural", "outer", "right", "unbounded", "window",
        "over", "filter", "indexed",
    ]

    /// The quoted token at `index` as a form has it.
    func canonical(_ index: Int, _ tokens: [DefinitionReader.Token]) -> ExactText {
        let token = tokens[index]
        let name = SQLTokens.unquote(token.text)
        let lower = ExactText(name.asciiLowercased)
        switch self {
        case .unread: return ExactText(SQLTokens.quote(name))
        case .nothing where token.isDoubleQuoted && !Self.isSurelyName(index, tokens),
            .columns
        where token.isDoubleQuoted && !isKnown(lower)
            && !Self.isSurelyName(index, tokens):
            return Self.literal(name)
        case .query
        where token.isDoubleQuoted && !isKnown(lower) && ExactText(name) != lower
            && !Self.isSurelyName(index, tokens):
            return ExactText(SQLTokens.quote(name))
        default: break
        }
        guard !Self.dual.contains(lower), !isDualInQuery(lower) else {
            return ExactText(SQLTokens.quote(lower.text))
        }
        return SQLForm.name(lower)
    }

    /// A string of SQL.
    static func literal(_ text: String) -> ExactText {
        let quote = UInt8(ascii: "'")
        let inner = text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return ExactText("'\(String(decoding: inner, as: UTF8.self))'")
    }

    private func isDualInQuery(_ name: ExactText) -> Bool {
        guard case .query = self else { return false }
        return Self.dualInQuery.contains(name)
    }

    private func isKnown(_ name: ExactText) -> Bool {
        switch self {
        case .nothing, .unread: false
        case .columns(let names): names.contains(name) || Self.rowIDs.contains(name)
        case .query(let names): names.contains(name) || Self.rowIDs.contains(name)
        }
    }

    /// Where a string could not stand, or would be a name all the same.
    private static func isSurelyName(_ index: Int, _ tokens: [DefinitionReader.Token]) -> Bool {
        let before = index > 0 ? tokens[index - 1].word : ""
        let after = index + 1 < tokens.count ? tokens[index + 1].word : ""
        return [".", "as", "collate"].contains(before) || [".", "("].contains(after)
    }

    // MARK: The schema's own name

    /// Whether `main` at `index` says where a table lies, which a definition in `main` need not: what
    /// follows FROM and the like can be nothing but a table.
    func drops(mainAt index: Int, _ tokens: [DefinitionReader.Token]) -> Bool {
        guard case .query = self, index > 0, index + 2 < tokens.count,
            tokens[index + 1].word == ".", tokens[index].name == "main"
        else { return false }
        return ["from", "join", "into", "update"].contains(tokens[index - 1].word)
    }

    /// Whether the dot at `index` goes with such a `main`.
    func drops(dotAt index: Int, _ tokens: [DefinitionReader.Token]) -> Bool {
        tokens[index].word == "." && index > 0 && drops(mainAt: index - 1, tokens)
    }

    /// The names that a statement itself introduces, in lower case: what stands behind AS or beside a dot,
    /// and every bare word.
    static func names(in tokens: [DefinitionReader.Token]) -> Set<ExactText> {
        var names: Set<ExactText> = []
        for (index, token) in tokens.enumerated() {
            switch token.kind {
            case .word: names.insert(ExactText(token.word))
            case .quotedName where !token.isDoubleQuoted || isSurelyName(index, tokens):
                names.insert(token.name)
            default: continue
            }
        }
        return names
    }
}
