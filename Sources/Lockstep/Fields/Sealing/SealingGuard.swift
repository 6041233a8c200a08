/// A guard in the database.
///
/// Its name contains the column's name at its creation. SQLite rewrites a trigger's SQL when it renames a column in it,
/// so the SQL contains the column's current name.
struct SealingGuard: Equatable {
    enum Kind: String, CaseIterable {
        case insert, update, key, unsealing
    }

    @Exact private(set) var name: String
    @Exact private(set) var table: String
    @Exact private(set) var column: String
    let kind: Kind

    /// The common prefix of the names of a column's guards and indexes.
    var base: String { name.rest(before: "_\(kind.rawValue)").map(String.init) ?? name }

    /// All guards in the database.
    static func all(_ connection: borrowing Connection) throws -> [SealingGuard] {
        try connection.query(
            """
            SELECT name, tbl_name, sql FROM main.sqlite_schema
            WHERE type = 'trigger' AND substr(name, 1, ?) = ?
            """, EngineTables.guardPrefix.utf8.count, EngineTables.guardPrefix, as: (String, String, String).self
        ).compactMap { SealingGuard(trigger: $0, of: $1, $2) }
    }

    /// The guard that a trigger is; nil for another trigger.
    init?(trigger name: String, of table: String, _ sql: String) {
        guard name.utf8.starts(with: EngineTables.guardPrefix.utf8),
            let kind = Kind.allCases.first(where: { name.ends(with: "_\($0.rawValue)") }),
            let column = Self.guardedColumn(sql)
        else { return nil }
        self.name = name
        self.table = table
        self.column = column
        self.kind = kind
    }

    /// The guards of one column.
    static func all(
        of column: String, _ table: String, _ connection: borrowing Connection
    ) throws -> [SealingGuard] {
        try all(connection).filter {
            SQLName($0.table) == SQLName(table) && SQLName($0.column) == SQLName(column)
        }
    }

    /// A guard's SQL in the form in which guards are compared: for cells of the first binding version, as earlier
    /// builds made them all, and without the message, which contains the names at the guard's creation.
    static func comparable(_ sql: SQLCursor) -> SQLCursor {
        var tokens = sql.tokens
        for format in CellFormat.allCases {
            let (first, second) = (literal(format, .first), literal(format, .second))
            let both = SQLCursor("IN (\(first), \(second))").tokens.map(\.text)
            let one = SQLCursor("= \(first)").tokens
            while let place = tokens.indices.first(where: { start in
                tokens[start...].prefix(both.count).map(\.text) == both
            }) {
                tokens.replaceSubrange(place..<(place + both.count), with: one)
            }
            for index in tokens.indices where tokens[index].text == second {
                tokens[index] = one[1]
            }
        }
        if let message = tokens.lastIndex(where: { $0.kind == .string }) {
            tokens.remove(at: message)
        }
        return SQLCursor(tokens)
    }

    private static func literal(_ format: CellFormat, _ version: BindingVersion) -> String {
        "x'\(Hex.encode([format.byte(version)]))'"
    }

    /// The first column in the condition.
    private static func guardedColumn(_ sql: String) -> String? {
        var cursor = SQLCursor(sql)
        guard (try? cursor.upTo("when")) != nil, cursor.peek(1) == "." else { return nil }
        return try? cursor.objectName().spelling
    }
}

extension SealedColumn {
    /// Whether a file has the guards of the column.
    package func hasGuards(_ connection: borrowing Connection) throws -> Bool {
        try !SealingGuard.all(of: name, table, connection).isEmpty
    }
}
