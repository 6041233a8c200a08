/// Splits SQL into tokens: SQLite's, as `tokenize.c` defines them, or those of another ``Lexis``.
///
/// Used where plain text does not suffice: to leave values out of messages, to see whether two statements
/// differ in more than spacing and comments, and to find the name in a CREATE TABLE. It never splits SQL into
/// statements; that is the job of `sqlite3_prepare_v2`.
package struct SQLTokens: Sequence, IteratorProtocol {
    package struct Token: Equatable {
        package enum Kind {
            case space, comment, string, blob, number, quotedName, word, variable, symbol
        }
        package let kind: Kind
        /// Its position in the text's UTF-8.
        package let range: Range<Int>
    }

    let bytes: [UInt8]
    private let lexis: Lexis
    var position = 0

    init(_ sql: String) {
        bytes = Array(sql.utf8)
        lexis = .sqlite
    }

    /// The tokens of `bytes` from an offset on; ranges count from the start of `bytes`.
    package init(_ bytes: [UInt8], from offset: Int, _ lexis: Lexis = .sqlite) {
        self.bytes = bytes
        self.lexis = lexis
        position = offset
    }

    package mutating func next() -> Token? {
        guard position < bytes.count else { return nil }
        let start = position
        let kind = lexis == .sqlite ? scan() : scanPostgres()
        return Token(kind: kind, range: start..<position)
    }

    // MARK: Uses

    /// Whether the SQL contains only space, comments and semicolons.
    package static func areBlank(_ sql: [UInt8], _ lexis: Lexis = .sqlite) -> Bool {
        SQLTokens(sql, from: 0, lexis).allSatisfy {
            $0.kind == .space || $0.kind == .comment || sql[$0.range].elementsEqual([UInt8(ascii: ";")])
        }
    }

    /// The SQL on one line, with literals and comments replaced, for messages and traces.
    static func redact(_ sql: String, longest: Int = 400) -> String {
        let bytes = Array(sql.utf8)
        var text = ""
        for token in SQLTokens(sql) {
            switch token.kind {
            case .string, .blob, .number: text += "?"
            case .space, .comment: if text.last != " ", !text.isEmpty { text += " " }
            default: text += String(decoding: bytes[token.range], as: UTF8.self)
            }
            if text.count > longest { return text.prefix(longest) + " …" }
        }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The SQL in a normal form, regardless of spacing, comments, the case of words, the quoting of names and a
    /// final semicolon.
    static func normalize(_ sql: String) -> String {
        let bytes = Array(sql.utf8)
        var tokens: [String] = []
        for token in SQLTokens(sql) {
            let text = String(decoding: bytes[token.range], as: UTF8.self)
            switch token.kind {
            case .space, .comment: continue
            case .word: tokens.append(text.asciiLowercased)
            case .quotedName: tokens.append(canonicalName(SQLName(unquote(text)).folded))
            default: tokens.append(text)
            }
        }
        while tokens.last == ";" { tokens.removeLast() }
        return tokens.joined(separator: " ")
    }

    /// The name in `text`, without its quotes if it has any. Quotes are bytes: with a combining mark after it,
    /// a quote is a different character in a `String`, but not to SQLite.
    package static func unquote(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, bytes.count >= 2 else { return text }
        let inner = bytes[1..<(bytes.count - 1)]
        switch first {
        case UInt8(ascii: "["): return String(decoding: inner, as: UTF8.self)
        case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "'"):
            var name: [UInt8] = []
            var isSecondOfPair = false
            for byte in inner {
                isSecondOfPair = byte == first && !isSecondOfPair
                // The first quote of a pair is dropped; the second one is kept.
                if byte != first || !isSecondOfPair { name.append(byte) }
            }
            return String(decoding: name, as: UTF8.self)
        default: return text
        }
    }

    /// `name` as an SQL identifier, whatever it contains.
    package static func quote(_ name: String) -> String { enclose(name, in: UInt8(ascii: "\"")) }

    /// `text` as an SQL literal.
    static func quoteText(_ text: String) -> String { enclose(text, in: UInt8(ascii: "'")) }

    /// Works on bytes, since a quote with a combining mark after it is one character of a `String`, but still a quote
    /// to SQLite.
    private static func enclose(_ text: String, in quote: UInt8) -> String {
        let inner = text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return String(decoding: [quote] + inner + [quote], as: UTF8.self)
    }

    /// A lower-case name as ``normalize(_:)`` writes it: bare if it needs no quotes, so that both spellings are
    /// equal; quoted if it would mean something else without them.
    static func canonicalName(_ name: String) -> String {
        let bytes = Array(name.utf8)
        let isPlain =
            bytes.first.map { isWord($0) && !$0.isASCIIDigit } == true && bytes.allSatisfy(isWord)
            && !bytes.starts(with: byteOrderMark)
        return isPlain && !reserved.contains(name) ? name : quote(name)
    }

    /// White space at the start of a token, so it cannot begin a name without quotes.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The keywords that SQLite's grammar never accepts as a name ("SQLite Keywords", those without a fallback
    /// in `parse.y`).
    private static let reserved: Set<String> = [
        "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate", "commit",
        "constraint", "create", "default", "deferrable", "delete", "distinct", "drop", "else", "escape", "except",
        "exists", "foreign", "from", "group", "having", "in", "index", "insert", "intersect", "into", "is", "isnull",
        "join", "limit", "not", "nothing", "notnull", "null", "on", "or", "order", "primary", "references", "returning",
        "select", "set", "table", "then", "to", "transaction", "union", "unique", "update", "using", "values", "when",
        "where",
    ]

    /// Whether `sql` contains the unquoted word `word`, given in lower case.
    static func hasWord(_ word: String, in sql: String) -> Bool {
        let bytes = Array(sql.utf8)
        let count = word.utf8.count
        // A cheap first check: the word is mostly absent, and finding that out takes no tokens.
        guard holds(Array(word.utf8), bytes) else { return false }
        return SQLTokens(bytes, from: 0).contains { token in
            token.kind == .word && token.range.count == count
                && zip(bytes[token.range], word.utf8).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    /// Whether the SQL can settle a conflict by REPLACE, which removes rows: not the function `replace(…)`.
    static func mayReplace(_ sql: String) -> Bool {
        guard hasWord("replace", in: sql) else { return false }
        let bytes = Array(sql.utf8)
        var isLast = false
        for token in SQLTokens(sql) where token.kind != .space && token.kind != .comment {
            if isLast, !bytes[token.range].elementsEqual([UInt8(ascii: "(")]) { return true }
            isLast =
                token.kind == .word
                && bytes[token.range].elementsEqual("replace".utf8) { $0 | 0x20 == $1 }
        }
        return isLast
    }

    /// Whether `bytes` contains these letters, given in lower case, next to each other.
    private static func holds(_ letters: [UInt8], _ bytes: [UInt8]) -> Bool {
        guard let first = letters.first, bytes.count >= letters.count else { return false }
        return (0...(bytes.count - letters.count)).contains { start in
            bytes[start] | 0x20 == first && letters.indices.allSatisfy { bytes[start + $0] | 0x20 == letters[$0] }
        }
    }

    // MARK: Scanning

    func byte(at offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    mutating func skip(while matches: (UInt8) -> Bool) {
        while let byte = byte(), matches(byte) { position += 1 }
    }

    private mutating func scan() -> Token.Kind {
        let first = bytes[position]
        position += 1
        switch first {
        case 0x09, 0x0A, 0x0C, 0x0D, 0x20:
            skip { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 || $0 == 0x0D || $0 == 0x0C }
            return .space
        case 0xEF where byte() == 0xBB && byte(at: 1) == 0xBF:
            // A byte order mark is white space at the start of a token.
            position += 2
            return .space
        case UInt8(ascii: "-") where byte() == UInt8(ascii: "-"):
            skip { $0 != 0x0A }
            return .comment
        case UInt8(ascii: "/") where byte() == UInt8(ascii: "*"):
            skipBlockComment()
            return .comment
        case UInt8(ascii: "'"):
            skipQuoted(first)
            return .string
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            skipQuoted(first)
            return .quotedName
        case UInt8(ascii: "["):
            skip { $0 != UInt8(ascii: "]") }
            position = Swift.min(position + 1, bytes.count)
            return .quotedName
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            guard byte() == UInt8(ascii: "'") else { return word() }
            position += 1
            skipQuoted(UInt8(ascii: "'"))
            return .blob
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return number()
        case UInt8(ascii: ".") where byte().map(\.isASCIIDigit) == true:
            return number()
        case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "#"):
            skip(while: Self.isWord)
            return .variable
        default:
            return Self.isWord(first) ? word() : symbol(first)
        }
    }

    private mutating func word() -> Token.Kind {
        skip(while: Self.isWord)
        return .word
    }

    private mutating func number() -> Token.Kind {
        let isHex = byte().map { $0 | 0x20 == UInt8(ascii: "x") } == true
        while let byte = byte() {
            let sign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            let afterExponent = !isHex && bytes[position - 1] | 0x20 == UInt8(ascii: "e")
            guard Self.isWord(byte) || byte == UInt8(ascii: ".") || (sign && afterExponent) else {
                break
            }
            position += 1
        }
        return .number
    }

    /// Operators of two characters stay together, so that `a<=b` equals `a <= b` but not `a < = b`.
    private mutating func symbol(_ first: UInt8) -> Token.Kind {
        if let second = byte(), Self.isPair(first, second) { position += 1 }
        return .symbol
    }

    private static func isPair(_ first: UInt8, _ second: UInt8) -> Bool {
        switch second {
        case UInt8(ascii: "="): first == UInt8(ascii: "!") || (0x3C...0x3E).contains(first)
        case UInt8(ascii: ">"):
            first == second || first == UInt8(ascii: "<") || first == UInt8(ascii: "-")
        case UInt8(ascii: "<"), UInt8(ascii: "|"): first == second
        default: false
        }
    }

    mutating func skipQuoted(_ quote: UInt8) {
        while let byte = byte() {
            position += 1
            guard byte == quote else { continue }
            guard self.byte() == quote else { return }
            position += 1
        }
    }

    private mutating func skipBlockComment() {
        position += 1
        while let byte = byte() {
            position += 1
            if byte == UInt8(ascii: "*"), self.byte() == UInt8(ascii: "/") {
                position += 1
                return
            }
        }
    }

    /// SQLite takes every byte of a multi-byte character as part of a name.
    static func isWord(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
            || byte.isASCIILetter
    }
}

extension SQLTokens {
    /// All tokens in SQL that can be names: words and quoted names of any kind.
    package static func names(in sql: String) -> Set<SQLName> {
        let bytes = Array(sql.utf8)
        var names: Set<SQLName> = []
        for token in SQLTokens(bytes, from: 0) {
            switch token.kind {
            case .word, .quotedName, .string:
                let text = String(decoding: bytes[token.range], as: UTF8.self)
                names.insert(SQLName(token.kind == .word ? text : unquote(text)))
            default: continue
            }
        }
        return names
    }
}

extension StringProtocol {
    /// In upper case as SQLite understands it: only ASCII letters change.
    package var asciiUppercased: String {
        String(decoding: utf8.map { $0.isASCIILowercase ? $0 & 0xDF : $0 }, as: UTF8.self)
    }

    /// In lower case as SQLite understands it: only ASCII letters change.
    package var asciiLowercased: String {
        guard utf8.contains(where: { $0.isASCIIUppercase }) else { return String(self) }
        return String(decoding: utf8.map { $0.asciiLowercased }, as: UTF8.self)
    }
}
