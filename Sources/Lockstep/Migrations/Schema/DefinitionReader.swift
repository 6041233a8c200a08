/// Reads the tokens of a definition one after another.
struct DefinitionReader {
    /// A token that says something.
    struct Token: Equatable {
        let kind: SQLTokens.Token.Kind
        /// As it stands in the SQL.
        let text: String
        /// A bare word in lower case, or a symbol; empty for everything that is quoted or a number.
        let word: String

        /// What it would name, in lower case and without quotes.
        var name: ExactText { ExactText(SQLTokens.unquote(text).asciiLowercased) }

        var isDoubleQuoted: Bool { kind == .quotedName && text.utf8.first == UInt8(ascii: "\"") }
    }

    /// The definition is of a form that this reader does not know. It is then compared as a whole.
    struct Unreadable: Error {}

    let tokens: [Token]
    private(set) var position = 0

    /// Takes SQL apart; semicolons at its end say nothing.
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

    /// Reads some of another reader's tokens.
    init(_ tokens: some Sequence<Token>) { self.tokens = Array(tokens) }

    var isAtEnd: Bool { position >= tokens.count }

    /// The word or symbol so many tokens ahead; empty for anything else, and behind the end.
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

    /// Any one token.
    mutating func next() throws(Unreadable) -> Token {
        guard !isAtEnd else { throw Unreadable() }
        position += 1
        return tokens[position - 1]
    }

    /// A name, in lower case and without its quotes, of which any kind may stand where only a name can.
    mutating func name() throws(Unreadable) -> ExactText {
        let token = try next()
        guard [.word, .quotedName, .string].contains(token.kind) else { throw Unreadable() }
        return token.name
    }

    /// What stands in parentheses, which follow.
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

    /// Names in parentheses.
    mutating func names() throws(Unreadable) -> [ExactText] {
        var reader = DefinitionReader(try group())
        var names: [ExactText] = []
        repeat { names.append(try reader.name()) } while reader.take(",")
        try reader.requireEnd()
        return names
    }

    /// All that is left.
    mutating func rest() -> ArraySlice<Token> {
        defer { position = tokens.count }
        return tokens[position...]
    }

    func requireEnd() throws(Unreadable) { guard isAtEnd else { throw Unreadable() } }

    /// Reads the tokens up to `word`, outside parentheses and not behind a dot, and the word itself.
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

    /// `CREATE … IF NOT EXISTS schema.name` of an object: the words between CREATE and the name that say
    /// more than its type, such as UNIQUE; goes on only for the object that is expected.
    mutating func header(
        _ type: String, named expected: String, allowing word: String? = nil
    ) throws(Unreadable) -> Bool {
        try require("create")
        if take("temp") || take("temporary") { throw Unreadable() }
        let hasWord = word.map { take($0) } ?? false
        try require(type)
        // `if` alone may be a name.
        if peek() == "if", peek(1) == "not" { try require("if", "not", "exists") }
        var found = try name()
        if take(".") { found = try name() }
        guard found == ExactText(expected.asciiLowercased) else { throw Unreadable() }
        return hasWord
    }

    /// Parts between the commas that stand outside parentheses.
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
