/// A guard in the database.
///
/// Its name contains the column's name at its creation. SQLite rewrites a trigger's SQL when it renames a column in it,
/// so the SQL contains the column's current name.
struct SealingGuard: Equatable {
    enum Kind: String, CaseIterable {
        case insert, update, key, unsealing
    }

    let name: String
    let table: String
    let column: String
    let kind: Kind

    /// The common prefix of the names of a column's guards and indexes.
    var base: String { String(name.dropLast(kind.rawValue.count + 1)) }

    /// All guards in the database.
    static func all(_ connection: borrowing Connection) throws -> [SealingGuard] {
        try connection.query(
            """
            SELECT name, tbl_name, sql FROM main.sqlite_schema
            WHERE type = 'trigger' AND substr(name, 1, ?) = ?
            """, EngineTables.guardPrefix.utf8.count, EngineTables.guardPrefix,
            as: (String, String, String).self
        ).compactMap { name, table, sql in
            guard let kind = Kind.allCases.first(where: { name.hasSuffix("_\($0.rawValue)") }),
                let column = guardedColumn(sql)
            else { return nil }
            return SealingGuard(name: name, table: table, column: column, kind: kind)
        }
    }

    /// The guards of one column.
    static func all(
        of column: String, _ table: String, _ connection: borrowing Connection
    ) throws -> [SealingGuard] {
        try all(connection).filter {
            SQLName($0.table) == SQLName(table) && SQLName($0.column) == SQLName(column)
        }
    }

    /// A guard's SQL in the form in which guards are compared. Guards that earlier builds made accept cells of the first
    /// binding version only, and the message of a guard contains the names at its creation.
    static func comparable(_ sql: SQLCursor) -> SQLCursor {
        var tokens = sql.tokens
        for format in CellFormat.allCases {
            let bytes = BindingVersion.allCases.map { "x'\(Hex.encode([format.byte($0)]))'" }
            let now = SQLCursor("IN (\(bytes.joined(separator: ", ")))").tokens.map(\.text)
            while let place = tokens.indices.first(where: { start in
                tokens[start...].prefix(now.count).map(\.text) == now
            }) {
                let first = tokens[place + 2]
                let equal = SQLCursor("=").tokens
                tokens.replaceSubrange(place..<(place + now.count), with: equal + [first])
            }
        }
        if let message = tokens.lastIndex(where: { $0.kind == .string }) {
            tokens.remove(at: message)
        }
        return SQLCursor(tokens)
    }

    /// The first column in the condition.
    private static func guardedColumn(_ sql: String) -> String? {
        var cursor = SQLCursor(sql)
        guard (try? cursor.upTo("when")) != nil, cursor.peek(1) == "." else { return nil }
        return try? cursor.objectName().spelling
    }
}
