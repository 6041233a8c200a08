/// PostgreSQL's tokens, as `scan.l` defines them. They differ from SQLite's in dollar quotes, strings with escapes,
/// comments within comments, and operators.
extension SQLTokens {
    mutating func scanPostgres() -> Token.Kind {
        let start = position
        let first = bytes[position]
        position += 1
        switch first {
        case 0x09...0x0D, 0x20:
            skip { $0 == 0x20 || (0x09...0x0D).contains($0) }
            return .space
        case UInt8(ascii: "-") where byte() == UInt8(ascii: "-"):
            skip { $0 != 0x0A && $0 != 0x0D }
            return .comment
        case UInt8(ascii: "/") where byte() == UInt8(ascii: "*"):
            skipNestedComment()
            return .comment
        case UInt8(ascii: "'"):
            skipQuoted(first)
            return .string
        case UInt8(ascii: "\""):
            skipQuoted(first)
            return .quotedName
        case UInt8(ascii: "$"): return dollar()
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return number(from: start)
        case UInt8(ascii: ".") where byte().map(\.isASCIIDigit) == true: return number(from: start)
        default:
            guard Self.isWord(first) else { return operation(first) }
            return prefixed(first) ?? name()
        }
    }

    private mutating func name() -> Token.Kind {
        skip(while: Self.isWord)
        return .word
    }

    /// A literal or name whose quote follows a letter: `E'…'`, `B'…'`, `X'…'`, `N'…'`, `U&'…'`, `U&"…"`.
    private mutating func prefixed(_ first: UInt8) -> Token.Kind? {
        let quote = UInt8(ascii: "'")
        switch first | 0x20 {
        case UInt8(ascii: "e") where byte() == quote:
            position += 1
            skipEscaped()
            return .string
        case UInt8(ascii: "b") where byte() == quote, UInt8(ascii: "x") where byte() == quote:
            position += 1
            skipQuoted(quote)
            return .blob
        case UInt8(ascii: "n") where byte() == quote:
            position += 1
            skipQuoted(quote)
            return .string
        case UInt8(ascii: "u") where byte() == UInt8(ascii: "&"):
            guard let mark = byte(at: 1), mark == quote || mark == UInt8(ascii: "\"") else {
                return nil
            }
            position += 2
            skipQuoted(mark)
            return mark == quote ? .string : .quotedName
        default: return nil
        }
    }

    /// The rest of a string in which a backslash escapes the next character. A string that goes on after a line end,
    /// `E'a'` and `'b'` on the next line, is one string with one kind of escapes.
    private mutating func skipEscaped() {
        let quote = UInt8(ascii: "'")
        while let byte = byte() {
            position += 1
            if byte == UInt8(ascii: "\\") {
                position = Swift.min(position + 1, bytes.count)
            } else if byte == quote {
                if self.byte() == quote {
                    position += 1
                } else if let next = continuation() {
                    position = next
                } else {
                    return
                }
            }
        }
    }

    /// Where the text of a continued string begins: after white space with a line end, comments, and a quote.
    private func continuation() -> Int? {
        var next = position
        var hasLineEnd = false
        while next < bytes.count {
            switch bytes[next] {
            case 0x0A, 0x0D: hasLineEnd = true
            case 0x09, 0x0B, 0x0C, 0x20: break
            case UInt8(ascii: "-") where next + 1 < bytes.count && bytes[next + 1] == bytes[next]:
                while next < bytes.count, bytes[next] != 0x0A, bytes[next] != 0x0D { next += 1 }
                continue
            case UInt8(ascii: "'"): return hasLineEnd ? next + 1 : nil
            default: return nil
            }
            next += 1
        }
        return nil
    }

    /// A parameter such as `$1`, or a string between two equal tags such as `$body$`.
    private mutating func dollar() -> Token.Kind {
        if byte().map(\.isASCIIDigit) == true {
            skip(while: \.isASCIIDigit)
            return .variable
        }
        var end = position
        while end < bytes.count, bytes[end] != UInt8(ascii: "$"), Self.isWord(bytes[end]) {
            end += 1
        }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "$") else { return .symbol }
        let tag = bytes[(position - 1)...end]
        position = end + 1
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "$"), bytes[position...].starts(with: tag) {
                position += tag.count
                return .string
            }
            position += 1
        }
        return .string
    }

    private mutating func number(from start: Int) -> Token.Kind {
        let isHex = bytes[start] == UInt8(ascii: "0") && byte().map { $0 | 0x20 == 0x78 } == true
        while let byte = byte() {
            let sign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            let afterExponent = !isHex && bytes[position - 1] | 0x20 == UInt8(ascii: "e")
            // In `1..10` the dots are an operator.
            let isPoint = byte == UInt8(ascii: ".") && self.byte(at: 1) != UInt8(ascii: ".")
            let isWord = Self.isWord(byte) && byte != UInt8(ascii: "$")
            guard isWord || isPoint || (sign && afterExponent) else { break }
            position += 1
        }
        return .number
    }

    private mutating func skipNestedComment() {
        position += 1
        var depth = 1
        while depth > 0, let byte = byte() {
            position += 1
            if byte == UInt8(ascii: "*"), self.byte() == UInt8(ascii: "/") {
                depth -= 1
                position += 1
            } else if byte == UInt8(ascii: "/"), self.byte() == UInt8(ascii: "*") {
                depth += 1
                position += 1
            }
        }
    }

    /// An operator is as long as its characters go, up to a comment. It ends in `+` or `-` only if it also has a
    /// character that no operator of the standard has: `a=-1` is `=` and `-`.
    private mutating func operation(_ first: UInt8) -> Token.Kind {
        guard Self.operators.contains(first) else {
            if let second = byte(), Self.isPair(first, second) { position += 1 }
            return .symbol
        }
        let start = position - 1
        while let byte = byte(), Self.operators.contains(byte) {
            let next = self.byte(at: 1)
            if byte == UInt8(ascii: "-"), next == byte { break }
            if byte == UInt8(ascii: "/"), next == UInt8(ascii: "*") { break }
            position += 1
        }
        guard !bytes[start..<position].contains(where: Self.ownOperators.contains) else {
            return .symbol
        }
        while position > start + 1,
            [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position - 1])
        {
            position -= 1
        }
        return .symbol
    }

    private static let operators = Set("~!@#^&|`?+-*/%<>=".utf8)
    private static let ownOperators = Set("~!@#^&|`?%".utf8)

    /// `::`, `:=` and `..`.
    private static func isPair(_ first: UInt8, _ second: UInt8) -> Bool {
        switch first {
        case UInt8(ascii: ":"): second == first || second == UInt8(ascii: "=")
        case UInt8(ascii: "."): second == first
        default: false
        }
    }
}
