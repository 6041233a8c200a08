/// Reads the tokens of a definition in order.
struct DefinitionReader {
    /// A token other than white space or a comment.
    struct Token: Equatable {
        let kind: SQLTokens.Token.Kind
        /// The token as in the SQL.
        let text: String
        /// A bare word in lower case, or a symbol; empty for quoted tokens and numbers.
        let word: String

        /// The token as a name, in lower case and without quotes.
        var name: ExactText { ExactText(SQLTokens.unquote(text).asciiLowercased) }

        var isDoubleQuoted: Bool { kind == .quotedName && text.utf8.first == UInt8(ascii: "\"") }
    }

    /// This reader does not know the form of the definition. The definition is then compared as a whole.
    struct Unreadable: Error {}

    let tokens: [Token]
    private(set) var position = 0

    /// Splits SQL into tokens; trailing semicolons are ignored.
    init(_ sql: String) {
        let bytes = Array(sql.utf8)
        var tokens: [Token] = []
        for token in SQLTokens(bytes, from: 0) where token.kind != .space && token.kind != .comment
        {
            let text = String(decoding: bytes[token.range], as: UTF8.self)
            let word =
                switch token.kind {
                case .word: text.asciiLowercased
                case .symbol: text
                default: ""
                }
            tokens.append(Token(kind: token.kind, text: text, word: word))
        }
        while tokens.last?.word == ";" { tokens.removeLast() }
        self.tokens = tokens
    }

    /// Reads a part of another reader's tokens.
    init(_ tokens: some Sequence<Token>) { self.tokens = Array(tokens) }

    var isAtEnd: Bool { position >= tokens.count }

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

    mutating func require(_ words: String...) throws(Unreadable) {
        for word in words where !take(word) { throw Unreadable() }
    }

    /// Reads any token.
    mutating func next() throws(Unreadable) -> Token {
        guard !isAtEnd else { throw Unreadable() }
        position += 1
        return tokens[position - 1]
    }

    /// Reads a name, in lower case and without quotes. Any kind of quoting is accepted where only a name is
    /// possible.
    mutating func name() throws(Unreadable) -> ExactText {
        let token = try next()
        guard [.word, .quotedName, .string].contains(token.kind) else { throw Unreadable() }
        return token.name
    }

    /// Reads the tokens inside the parentheses that follow.
    mutating func group() throws(Unreadable) -> ArraySlice<Token> {
        try require("(")
        let start = position
        var depth = 1
        while depth > 0 {
            switch try next().word {
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
        }
        return tokens[start..<(position - 1)]
    }

    /// Reads names in parentheses.
    mutating func names() throws(Unreadable) -> [ExactText] {
        var reader = DefinitionReader(try group())
        var names: [ExactText] = []
        repeat { names.append(try reader.name()) } while reader.take(",")
        try reader.requireEnd()
        return names
    }

    /// Reads all remaining tokens.
    mutating func rest() -> ArraySlice<Token> {
        defer { position = tokens.count }
        return tokens[position...]
    }

    func requireEnd() throws(Unreadable) { guard isAtEnd else { throw Unreadable() } }

    /// Reads the tokens up to `word`, outside parentheses and not after a dot, and then the word itself.
    mutating func upTo(_ word: String) throws(Unreadable) -> ArraySlice<Token> {
        let start = position
        var depth = 0
        while !(depth == 0 && peek() == word
            && (position == start || tokens[position - 1].word != "."))
        {
            switch try next().word {
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
        }
        position += 1
        return tokens[start..<(position - 1)]
    }

    /// Reads the header of an object, `CREATE … IF NOT EXISTS schema.name`. Throws unless the object is the
    /// expected one.
    /// - Returns: Whether `word`, such as UNIQUE, precedes the type.
    mutating func header(
        _ type: String, named expected: String, allowing word: String? = nil
    ) throws(Unreadable) -> Bool {
        try require("create")
        if take("temp") || take("temporary") { throw Unreadable() }
        let hasWord = word.map { take($0) } ?? false
        try require(type)
        // `if` alone can be a name.
        if peek() == "if", peek(1) == "not" { try require("if", "not", "exists") }
        var found = try name()
        if take(".") { found = try name() }
        guard found == ExactText(expected.asciiLowercased) else { throw Unreadable() }
        return hasWord
    }

    /// Splits tokens at the commas outside parentheses.
    static func parts(_ tokens: some Sequence<Token>) -> [[Token]] {
        var parts: [[Token]] = [[]]
        var depth = 0
        for token in tokens {
            switch token.word {
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            if token.word == ",", depth == 0 {
                parts.append([])
            } else {
                parts[parts.count - 1].append(token)
            }
        }
        return parts
    }
}
