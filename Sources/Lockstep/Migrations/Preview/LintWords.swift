/// The tokens of a statement for the lint rules: words in lower case, without comments.
struct LintWords {
    private let words: [String]

    init(_ sql: String) {
        let bytes = Array(sql.utf8)
        words = SQLTokens(sql).filter { $0.kind != .space && $0.kind != .comment }.map {
            String(decoding: bytes[$0.range], as: UTF8.self).asciiLowercased
        }
    }

    /// The word at an index; empty after the last word.
    subscript(_ index: Int) -> String { words.indices.contains(index) ? words[index] : "" }

    /// A name at an index, without quotes and schema.
    func name(at index: Int) -> String {
        let name = self[index + 1] == "." ? self[index + 2] : self[index]
        return SQLTokens.unquote(name).asciiLowercased
    }

    func index(of word: String) -> Int? { words.firstIndex(of: word) }

    /// Whether the words occur in this order, directly after one another.
    func contains(_ sequence: String...) -> Bool {
        guard words.count >= sequence.count else { return false }
        return (0...(words.count - sequence.count)).contains { start in
            words[start..<(start + sequence.count)].elementsEqual(sequence)
        }
    }
}
