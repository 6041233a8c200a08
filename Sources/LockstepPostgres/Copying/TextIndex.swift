internal import Lockstep

/// Full-text indexes and other virtual tables of a file, which a copy does not take: those over the content of other
/// tables are made again from it.
enum TextIndex {
    /// Whether a virtual table's statement makes an index whose text is elsewhere.
    static func isOverOtherContent(_ sql: String) -> Bool {
        let bytes = Array(sql.utf8)
        let words = SQLTokens(bytes, from: 0)
            .filter { $0.kind != .space && $0.kind != .comment }
            .map { String(decoding: bytes[$0.range], as: UTF8.self).asciiLowercased }
        guard let start = words.firstIndex(where: { $0.begins(with: "fts") }), words.prefix(start).contains("virtual")
        else { return false }
        // A column can have this name, and an empty content is none.
        return words.indices.dropFirst(start).dropLast(2).contains { place in
            words[place] == "content" && words[place + 1] == "=" && !["''", "\"\""].contains(words[place + 2])
        }
    }

    /// - Throws: `LockstepError.Code.typeMismatch` for a virtual table with content of its own.
    static func requireNoContent(in file: borrowing Connection) throws {
        let tables = try file.query(
            """
            SELECT s.name, s.sql FROM main.sqlite_schema AS s JOIN pragma_table_list AS l
                ON l.schema = 'main' AND l.name = s.name WHERE l.type = 'virtual' ORDER BY s.name
            """
        ) { (name: try $0[0] as String, sql: try $0[1] as String) }
        for (name, sql) in tables where !isOverOtherContent(sql) {
            let hasRows = try file.value("SELECT EXISTS (SELECT 1 FROM main.\(name: name))", as: Bool.self)
            guard hasRows == true else { continue }
            throw LockstepError(
                .typeMismatch,
                "the virtual table \(name) has rows of its own, which do not cross",
                hint:
                    "keep them in a table, and make the virtual table an index over it, such as fts5 with content=",
                context: .init(table: name))
        }
    }
}
