/// A column's default value, if it is a literal.
///
/// The default is text from the file, which anyone who can open the database can change. It therefore never enters SQL
/// that this connection generates: the engine parses it, writes the value again from what it parsed, and drops anything
/// else.
struct LiteralDefault: Sendable, Equatable {
    /// The literal as SQL.
    let sql: String

    /// Nil for an expression and for text that is not a single literal.
    init?(_ text: String) {
        var tokens = SQLCursor(text).tokens[...]
        while tokens.count > 2, tokens.first?.word == "(", tokens.last?.word == ")" {
            tokens = tokens.dropFirst().dropLast()
        }
        var sign = ""
        if tokens.count == 2, let first = tokens.first, ["-", "+"].contains(first.word) {
            // Only a number can have a sign.
            guard tokens.last?.kind == .number else { return nil }
            sign = first.word
            tokens.removeFirst()
        }
        guard tokens.count == 1, let token = tokens.first, let literal = Self.literal(token) else {
            return nil
        }
        sql = sign + literal
    }

    private static func literal(_ token: SQLCursor.Token) -> String? {
        switch token.kind {
        case .number: return isNumber(token.text) ? token.text : nil
        case .string:
            let quote = UInt8(ascii: "'")
            let bytes = Array(token.text.utf8)
            guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return nil }
            var value: [UInt8] = []
            var isDoubled = false
            for byte in bytes.dropFirst().dropLast() {
                isDoubled = byte == quote && !isDoubled
                if !isDoubled { value.append(byte) }
            }
            guard !isDoubled else { return nil }
            return SQLTokens.quoteText(String(decoding: value, as: UTF8.self))
        case .blob:
            let digits = Array(token.text.utf8).dropFirst(2).dropLast()
            let lowercased = String(decoding: digits, as: UTF8.self).asciiLowercased
            guard let value = Hex.decode(lowercased) else { return nil }
            return "x'\(Hex.encode(value))'"
        case .word: return words.contains(token.word) ? token.word.uppercased() : nil
        default: return nil
        }
    }

    private static let words: Set<String> = [
        "null", "true", "false", "current_time", "current_date", "current_timestamp",
    ]

    /// Digits, a point and an exponent, or hexadecimal digits. The tokenizer accepts more as a number than SQLite's
    /// parser does.
    private static func isNumber(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let plain = Set("0123456789.eE+-".utf8)
        let hex = Set("0123456789abcdefABCDEF".utf8)
        if bytes.count > 2, bytes[0] == UInt8(ascii: "0"), bytes[1] | 0x20 == UInt8(ascii: "x") {
            return bytes.dropFirst(2).allSatisfy(hex.contains)
        }
        return bytes.allSatisfy(plain.contains) && Double(text) != nil
    }
}
