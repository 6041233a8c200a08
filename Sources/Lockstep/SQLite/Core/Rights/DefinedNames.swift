/// The names in a definition that SQLite's authorizer does not see when the definition is created: the tables
/// that a trigger's body writes, the parent of a foreign key, the new name of a table.
enum DefinedNames {
    /// The first of them that is reserved for the engine; nil if there is none.
    static func reserved(in sql: Span<UInt8>) -> SQLName? {
        guard mayHold(sql) else { return nil }
        var cursor = SQLCursor(sql.indices.map { sql[$0] })
        while !cursor.isAtEnd {
            guard introducesTable(&cursor) else { continue }
            var ahead = cursor
            if let name = try? ahead.objectName(), EngineTables.isReserved(name) { return name }
        }
        return nil
    }

    /// Reads the keywords that a table's name follows, or else one token.
    private static func introducesTable(_ cursor: inout SQLCursor) -> Bool {
        if cursor.take("update") {
            // UPDATE OR IGNORE and similar forms.
            if cursor.take("or") { _ = try? cursor.next() }
            return true
        }
        let isFound =
            cursor.take("into") || cursor.take("references") || cursor.take("delete", "from")
            || cursor.take("rename", "to")
        if !isFound { _ = try? cursor.next() }
        return isFound
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
