/// Reads the tokens of SQL in order, without white space and comments.
struct SQLCursor {
    struct Token {
        let kind: SQLTokens.Token.Kind
        /// The token as in the SQL.
        let text: String
        /// A bare word in lower case, or a symbol; empty for all other tokens.
        let word: String
        /// Its position in the SQL's UTF-8.
        let range: Range<Int>

        /// The token as a name.
        var name: SQLName { SQLName(SQLTokens.unquote(text)) }

        var isDoubleQuoted: Bool { kind == .quotedName && text.utf8.first == UInt8(ascii: "\"") }
    }

    /// The next token is not one that the caller can read.
    struct Unexpected: Error {}

    let tokens: [Token]
    private(set) var position = 0

    /// - Parameter comments: Whether comments are tokens too.
    init(_ sql: String, comments: Bool = false) {
        self.init(Array(sql.utf8), comments: comments)
    }

    /// Reads the SQL from an offset on.
    /// - Parameter limit: The largest number of tokens to read.
    init(_ sql: [UInt8], from offset: Int = 0, limit: Int = .max, comments: Bool = false) {
        let significant = SQLTokens(sql, from: offset).lazy.filter {
            $0.kind != .space && (comments || $0.kind != .comment)
        }
        tokens = significant.prefix(limit).map { token in
            let text = String(decoding: sql[token.range], as: UTF8.self)
            let word =
                switch token.kind {
                case .word: text.asciiLowercased
                case .symbol: text
                default: ""
                }
            return Token(kind: token.kind, text: text, word: word, range: token.range)
        }
    }

    /// Reads a part of another cursor's tokens.
    init(_ tokens: some Sequence<Token>) { self.tokens = Array(tokens) }

    var isAtEnd: Bool { position >= tokens.count }

    /// The end of the last token that was read, as an offset in the SQL's UTF-8.
    var end: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

    /// The word or symbol this many tokens ahead; empty for any other token and after the end.
    func peek(_ ahead: Int = 0) -> String {
        position + ahead < tokens.count ? tokens[position + ahead].word : ""
    }

    /// Reads these words and symbols if all of them follow.
    mutating func take(_ words: String...) -> Bool {
        for (ahead, word) in words.enumerated() where peek(ahead) != word { return false }
        position += words.count
        return true
    }

    mutating func require(_ words: String...) throws(Unexpected) {
        for word in words where !take(word) { throw Unexpected() }
    }

    func requireEnd() throws(Unexpected) { guard isAtEnd else { throw Unexpected() } }

    /// Reads any token.
    @discardableResult mutating func next() throws(Unexpected) -> Token {
        guard !isAtEnd else { throw Unexpected() }
        position += 1
        return tokens[position - 1]
    }

    /// Reads a name. Any kind of quoting is accepted where only a name is possible.
    mutating func name() throws(Unexpected) -> SQLName {
        let token = try next()
        guard [.word, .quotedName, .string].contains(token.kind) else { throw Unexpected() }
        return token.name
    }

    /// Reads the name of an object, which a schema's name and a dot can precede.
    mutating func objectName() throws(Unexpected) -> SQLName {
        let name = try name()
        return take(".") ? try self.name() : name
    }

    /// Reads the tokens inside the parentheses that follow.
    mutating func group() throws(Unexpected) -> ArraySlice<Token> {
        try require("(")
        return try upTo(")")
    }

    /// Reads the tokens up to `word`, outside parentheses and not after a dot, and then the word itself.
    mutating func upTo(_ word: String) throws(Unexpected) -> ArraySlice<Token> {
        let start = position
        var depth = 0
        while !(depth == 0 && peek() == word && (position == start || tokens[position - 1].word != ".")) {
            switch try next().word {
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
        }
        position += 1
        return tokens[start..<(position - 1)]
    }

    /// Reads all remaining tokens.
    mutating func rest() -> ArraySlice<Token> {
        defer { position = tokens.count }
        return tokens[position...]
    }

    // exact: names of SQLite
    /// Whether one of the remaining tokens can be this name, quoted or not.
    func mentions(_ name: SQLName) -> Bool { tokens[position...].contains { $0.name == name } }

    /// Whether these words and symbols follow one another somewhere among the remaining tokens.
    func contains(_ words: String...) -> Bool {
        tokens[position...].indices.contains { start in
            words.indices.allSatisfy { peek(start - position + $0) == words[$0] }
        }
    }
}
