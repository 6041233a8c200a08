/// The names in a definition that SQLite's authorizer does not see when the definition is created: the tables
/// that a trigger's body writes, the parent of a foreign key, the new name of a table.
enum DefinedNames {
    /// The first of them that is reserved for the engine, in lower case; nil if there is none.
    static func reserved(in sql: Span<UInt8>) -> String? {
        guard mayHold(sql) else { return nil }
        let bytes = sql.indices.map { sql[$0] }
        let tokens = SQLTokens(bytes, from: 0).filter { $0.kind != .space && $0.kind != .comment }
        let words = tokens.map { token in
            (text: String(decoding: bytes[token.range], as: UTF8.self), isBare: token.kind == .word)
        }
        for index in words.indices {
            guard let start = target(after: index, words) else { continue }
            // A schema name can precede the table's name.
            let isQualified = start + 2 < words.count && words[start + 1].text == "."
            let name = SQLTokens.unquote(words[isQualified ? start + 2 : start].text)
                .asciiLowercased
            if EngineTables.isReserved(name) { return name }
        }
        return nil
    }

    /// The index of the table name that the keyword at `index` introduces.
    private static func target(
        after index: Int, _ words: [(text: String, isBare: Bool)]
    ) -> Int? {
        func isWord(_ index: Int, _ word: String) -> Bool {
            words.indices.contains(index) && words[index].isBare
                && words[index].text.asciiLowercased == word
        }
        var next = index + 1
        if isWord(index, "update") {
            // UPDATE OR IGNORE and similar forms.
            if isWord(next, "or") { next += 2 }
        } else {
            let isNamed =
                isWord(index, "into") || isWord(index, "references")
                || (isWord(index, "from") && isWord(index - 1, "delete"))
                || (isWord(index, "to") && isWord(index - 1, "rename"))
            guard isNamed else { return nil }
        }
        return next < words.count ? next : nil
    }

    /// A cheap first check: few definitions contain the word, and finding it takes no tokens.
    private static func mayHold(_ sql: Span<UInt8>) -> Bool {
        let letters = Array("lockstep".utf8)
        guard sql.count >= letters.count else { return false }
        return (0...(sql.count - letters.count)).contains { start in
            letters.indices.allSatisfy { sql[start + $0] | 0x20 == letters[$0] }
        }
    }
}
