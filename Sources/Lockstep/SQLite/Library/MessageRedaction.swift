internal import CSQLCipher

/// Removes values from SQLite's messages.
///
/// SQLite's messages quote their cause: a literal in the SQL, the path passed to a JSON function, a word of a
/// full-text query. Names stay, because fixing a statement needs them.
struct MessageRedaction {
    /// Words of the SQL outside its literals, and words of SQLite's own messages.
    private var names: Set<SQLName> = [
        "syntax", "error", "main", "temp", "malformed", "no", "such", "table", "column", "function",
    ]
    /// Words inside the SQL's literals.
    private var values: Set<SQLName> = []

    private init(_ sql: String) {
        let bytes = Array(sql.utf8)
        for token in SQLTokens(sql) {
            let piece = String(decoding: bytes[token.range], as: UTF8.self)
            switch token.kind {
            case .word, .variable: names.insert(SQLName(piece))
            case .quotedName: names.insert(SQLName(SQLTokens.unquote(piece)))
            case .string, .blob, .number: values.formUnion(Self.words(piece))
            case .space, .comment, .symbol: continue
            }
        }
    }

    /// The message, with every possible value replaced.
    /// - Parameter isRunning: Whether the message can contain bound values and the database's content, or only
    ///   the SQL.
    static func redact(
        _ message: String, _ code: Int32, _ sql: String, isRunning: Bool
    ) -> String {
        // The messages of other codes contain only names from the schema.
        guard code & 0xFF == SQLITE_ERROR, !namesAlone(message) else { return message }
        let quoting: Set<Character> = ["\"", "'", "[", ":"]
        guard let start = message.firstIndex(where: { quoting.contains($0) }) else {
            return message
        }
        let redaction = MessageRedaction(sql)
        var text = String(message[..<start])
        let rest = String(message[start...])
        let bytes = Array(rest.utf8)
        for token in SQLTokens(rest) {
            let piece = String(decoding: bytes[token.range], as: UTF8.self)
            switch token.kind {
            case .space, .symbol: text += piece
            // The colon of a sentence.
            case .variable where token.range.count == 1: text += piece
            case .comment, .string, .blob, .number: text += "?"
            case .word, .variable:
                text += redaction.isHarmless(SQLName(piece), isRunning) ? piece : "?"
            case .quotedName:
                let inner = SQLTokens.unquote(piece)
                let isHarmless = Self.words(inner).allSatisfy {
                    redaction.isHarmless($0, isRunning)
                }
                text += isHarmless && !inner.contains("'") ? piece : "\"?\""
            }
        }
        return text
    }

    /// Whether what the message quotes is a name in a definition. Of full-text queries, a missing column can be a value.
    private static func namesAlone(_ message: String) -> Bool {
        ["table", "view", "index", "trigger", "function", "module", "collation sequence", "tokenizer"].contains {
            message.begins(with: "no such \($0): ")
        } || (message.begins(with: "error in ") && message.contains(": no such "))
    }

    private func isHarmless(_ word: SQLName, _ isRunning: Bool) -> Bool {
        names.contains(word) || (!isRunning && !values.contains(word))
    }

    private static func words(_ text: String) -> Set<SQLName> {
        let bytes = Array(text.utf8)
        let words = bytes.split { byte in
            byte < 0x80 && byte != UInt8(ascii: "_") && !byte.isASCIIDigit && !byte.isASCIILetter
        }
        return Set(words.map { SQLName(String(decoding: $0, as: UTF8.self)) })
    }
}
