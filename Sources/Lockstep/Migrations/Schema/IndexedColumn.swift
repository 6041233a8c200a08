/// A column or expression in an index, a key or a unique constraint.
enum IndexedColumn {
    static func forms(
        _ tokens: some Sequence<SQLCursor.Token>, _ columns: Set<SQLName>
    ) throws(SQLCursor.Unexpected) -> [SQLForm] {
        var forms: [SQLForm] = []
        for part in SQLCursor.parts(tokens) { forms.append(try form(part, columns)) }
        return forms
    }

    private static func form(
        _ part: [SQLCursor.Token], _ columns: Set<SQLName>
    ) throws(SQLCursor.Unexpected) -> SQLForm {
        var part = part
        // Ascending order is the default.
        if part.count > 1, part.last?.word == "asc" { part.removeLast() }
        guard let first = part.first else { throw SQLCursor.Unexpected() }
        // In this position a string also names a column or a collation.
        var names: Set<Int> = []
        if first.kind == .string, part.count == 1 || ["collate", "desc"].contains(part[1].word) {
            names.insert(0)
        }
        for index in part.indices.dropFirst() where part[index].kind == .string && part[index - 1].word == "collate" {
            names.insert(index)
        }
        for index in names {
            part[index] = SQLCursor.Token(
                kind: .quotedName, text: SQLTokens.quote(part[index].name.folded), word: "", range: part[index].range)
        }
        return SQLForm(part, .columns(columns))
    }
}
