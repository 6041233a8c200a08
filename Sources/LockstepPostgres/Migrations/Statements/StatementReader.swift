internal import Lockstep

/// Reads a statement token by token, by PostgreSQL's rules.
struct StatementReader {
    private struct Piece {
        /// In lower case unless it is quoted.
        let text: String
        let isName: Bool
        let isQuoted: Bool
        var isText = false
    }

    /// A name with its schema and the like before it: `["app", "movies"]`.
    typealias Name = [String]

    private let pieces: [Piece]
    private var position = 0
    /// The first word with a capital after a small letter that is not quoted.
    let camelCase: String?

    init(_ sql: String) {
        let bytes = Array(sql.utf8)
        var camelCase: String?
        pieces = SQLTokens(bytes, from: 0, .postgres).compactMap { token in
            let text = String(decoding: bytes[token.range], as: UTF8.self)
            switch token.kind {
            case .space, .comment: return nil
            case .word:
                if camelCase == nil, Self.isCamelCase(bytes[token.range]) { camelCase = text }
                return Piece(text: text.asciiLowercased, isName: true, isQuoted: false)
            case .quotedName:
                let inner = bytes[token.range].dropFirst().dropLast()
                let name = String(decoding: inner, as: UTF8.self).replacing("\"\"", with: "\"")
                return Piece(text: name, isName: true, isQuoted: true)
            case .string: return Piece(text: text, isName: false, isQuoted: false, isText: true)
            default: return Piece(text: text, isName: false, isQuoted: false)
            }
        }
        self.camelCase = camelCase
    }

    private static func isCamelCase(_ word: ArraySlice<UInt8>) -> Bool {
        zip(word, word.dropFirst()).contains {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($1)
        }
    }

    /// All names and words in it.
    var names: Set<SQLName> { Set(pieces.filter(\.isName).map { SQLName($0.text) }) }

    /// What its strings say.
    var texts: [String] { pieces.filter(\.isText).map { Self.unquote($0.text) } }

    private static func unquote(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let quote = UInt8(ascii: "'")
        guard let start = bytes.firstIndex(where: { $0 == quote || $0 == UInt8(ascii: "$") }) else { return text }
        guard bytes[start] != quote else { return SQLTokens.unquote(String(Substring(text.utf8.dropFirst(start)))) }
        guard let end = bytes[(start + 1)...].firstIndex(of: UInt8(ascii: "$")) else { return text }
        let tag = end + 1 - start
        return String(Substring(text.utf8.dropFirst(start + tag).dropLast(tag)))
    }

    var isAtEnd: Bool { position == pieces.count }

    /// Takes these words and symbols if they come next.
    mutating func take(_ words: String...) -> Bool {
        guard matches(words, at: position) else { return false }
        position += words.count
        return true
    }

    /// Whether these words and symbols come next.
    func comes(_ words: [String]) -> Bool { matches(words, at: position) }

    private func matches(_ words: [String], at start: Int) -> Bool {
        let part = pieces[start...].prefix(words.count)
        return part.count == words.count && zip(part, words).allSatisfy { !$0.isQuoted && $0.text == $1 }
    }

    /// Whether these words follow one another anywhere in what is left.
    func contains(_ words: String...) -> Bool {
        (position..<pieces.count).contains { matches(words, at: $0) }
    }

    /// Whether what is left has `ALTER [COLUMN] name [SET DATA] TYPE`.
    var changesType: Bool {
        var rest = self
        while !rest.isAtEnd {
            guard rest.take("alter") else {
                rest.skip()
                continue
            }
            _ = rest.take("column")
            guard rest.name() != nil else { continue }
            if rest.take("type") || rest.take("set", "data", "type") { return true }
        }
        return false
    }

    /// Whether these words are the last ones.
    func endsWith(_ words: String...) -> Bool {
        pieces.count >= words.count && matches(words, at: pieces.count - words.count)
    }

    /// Takes a name, if one comes next.
    mutating func name() -> Name? {
        var name: Name = []
        while position < pieces.count, pieces[position].isName {
            name.append(pieces[position].text)
            position += 1
            guard take(".") else { break }
        }
        return name.isEmpty ? nil : name
    }

    /// Passes over what stands in parentheses, if they come next.
    /// - Returns: The words in them.
    mutating func parentheses() -> [String] {
        guard take("(") else { return [] }
        var depth = 1
        var words: [String] = []
        while position < pieces.count, depth > 0 {
            let piece = pieces[position]
            position += 1
            guard !piece.isName else {
                words.append(piece.text)
                continue
            }
            if piece.text == "(" { depth += 1 }
            if piece.text == ")" { depth -= 1 }
        }
        return words
    }

    /// Passes over one token, or what stands in parentheses.
    mutating func skipOver() {
        let start = position
        _ = parentheses()
        if position == start { skip() }
    }

    /// Passes over one token.
    mutating func skip() { position = min(position + 1, pieces.count) }
}
