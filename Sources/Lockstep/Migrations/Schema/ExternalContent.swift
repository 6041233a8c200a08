/// A full-text table whose rows are those of another table, which it finds by their row ids.
struct ExternalContent {
    let index, content: SQLName
    /// The column that holds the row ids; nil for the rowid itself.
    private(set) var rowID: SQLName?

    /// Nil for any other SQL.
    init?(_ cursor: SQLCursor) {
        var cursor = cursor
        guard cursor.take("create", "virtual", "table") else { return nil }
        _ = cursor.take("if", "not", "exists")
        guard let index = try? cursor.objectName() else { return nil }
        let tokens = Array(cursor.rest())
        func option(_ name: String) -> SQLName? {
            // exact: words of the source
            for place in tokens.indices.dropLast(2) where tokens[place].word == name && tokens[place + 1].word == "=" {
                let value = tokens[place + 2]
                guard [.word, .quotedName, .string].contains(value.kind) else { return nil }
                let text = value.kind == .word ? value.text : SQLTokens.unquote(value.text)
                return text.isEmpty ? nil : SQLName(text)
            }
            return nil
        }
        // Without a name the table keeps no rows at all.
        guard let content = option("content") else { return nil }
        (self.index, self.content, rowID) = (index, content, option("content_rowid"))
    }
}
