/// `PRAGMA foreign_keys = OFF;` in a file, recognised by its tokens.
struct ForeignKeyPragma {
    let isOff: Bool
    /// The number of its tokens, including the semicolon.
    let tokens: Int
    /// The byte offset of its end.
    let end: Int

    /// Nil if the tokens do not begin with a pragma that switches foreign keys on or off.
    init?(_ tokens: ArraySlice<SQLTokens.Token>, _ bytes: [UInt8]) {
        var words: [String] = []
        var end = tokens.startIndex
        for (index, token) in zip(tokens.indices, tokens) where words.last != ";" {
            guard token.kind != .space, token.kind != .comment else { continue }
            end = index + 1
            let text = String(decoding: bytes[token.range], as: UTF8.self)
            words.append(SQLTokens.unquote(text).asciiLowercased)
            // The longest form is `pragma foreign_keys ( off ) ;`.
            guard words.count <= 6, words[0] == "pragma" else { return nil }
        }
        if words.last == ";" { words.removeLast() }
        guard words.count >= 4, words[1] == "foreign_keys",
            words[2] == "=" && words.count == 4
                || words[2] == "(" && words.count == 5 && words[4] == ")"
        else { return nil }
        switch words[3] {
        case "off", "0", "false", "no": isOff = true
        case "on", "1", "true", "yes": isOff = false
        default: return nil
        }
        self.tokens = end - tokens.startIndex
        self.end = tokens[end - 1].range.upperBound
    }
}
