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
        let bytes = Array(text.utf8)
        var words = SQLTokens(text).filter { $0.kind != .space && $0.kind != .comment }.map {
            (kind: $0.kind, text: String(decoding: bytes[$0.range], as: UTF8.self))
        }
        while words.count > 2, words.first?.text == "(", words.last?.text == ")" {
            words = Array(words.dropFirst().dropLast())
        }
        var sign = ""
        if words.count == 2, let first = words.first, first.text == "-" || first.text == "+" {
            // Only a number can have a sign.
            guard words[1].kind == .number else { return nil }
            sign = first.text
            words.removeFirst()
        }
        guard words.count == 1, let word = words.first,
            let literal = Self.literal(word.kind, word.text)
        else { return nil }
        sql = sign + literal
    }

    private static func literal(_ kind: SQLTokens.Token.Kind, _ text: String) -> String? {
        switch kind {
        case .number:
            return isNumber(text) ? text : nil
        case .string:
            let quote = UInt8(ascii: "'")
            let bytes = Array(text.utf8)
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
            let digits = Array(text.utf8).dropFirst(2).dropLast()
            let lowercased = String(decoding: digits, as: UTF8.self).asciiLowercased
            guard let value = Hex.decode(lowercased) else { return nil }
            return "x'\(Hex.encode(value))'"
        case .word:
            let word = text.asciiLowercased
            return words.contains(word) ? word.uppercased() : nil
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
