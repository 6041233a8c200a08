/// What a table with sealed columns looks like.
struct SealedTable: Sendable, Equatable {
    struct Column: Sendable, Equatable {
        let name: String
        /// As it was declared; empty if it was not.
        let type: String
        let isNotNull: Bool
        /// The expression of its default, as the file has it: it never enters SQL of ours.
        let defaultSQL: String?
        /// Its place in the primary key, from 1 on; 0 for none.
        let keyPosition: Int
        let isGenerated: Bool

        var affinity: Affinity { Affinity(type) }

        /// Its default, where that is a literal and so may enter SQL of ours.
        var literalDefault: LiteralDefault? { defaultSQL.flatMap(LiteralDefault.init) }
    }

    /// By what a row is found, and cells are bound to it.
    enum Key: Sendable, Equatable {
        /// An INTEGER PRIMARY KEY.
        case row(Column)
        /// A declared primary key whose columns are NOT NULL, in the key's order.
        case columns([Column])
        /// Only a bare rowid, which VACUUM may change, or a key that may be NULL.
        case none

        var columns: [Column] {
            switch self {
            case .row(let column): [column]
            case .columns(let columns): columns
            case .none: []
            }
        }
    }

    /// As it is written in the schema.
    let name: String
    let columns: [Column]
    let key: Key
    let hasRowID: Bool
    let isStrict: Bool
    let sql: String

    var quotedName: String { SQLTokens.quote(name) }

    /// Nil if there is no such table in the file.
    init?(_ name: String, _ connection: borrowing Connection) throws {
        let found = try connection.query(
            """
            SELECT l.name, l.wr, l.strict, s.sql FROM pragma_table_list AS l
            JOIN main.sqlite_schema AS s ON s.type = 'table' AND s.name = l.name
            WHERE l.schema = 'main' AND l.type = 'table' AND lower(l.name) = lower(?)
            """, name, as: (String, Bool, Bool, String).self)
        guard let (name, isWithoutRowID, isStrict, sql) = found.first else { return nil }
        self.name = name
        self.isStrict = isStrict
        self.sql = sql
        hasRowID = !isWithoutRowID
        let columns = try connection.query(
            """
            SELECT name, type, "notnull", dflt_value, pk, hidden
            FROM pragma_table_xinfo(?, 'main') ORDER BY cid
            """, name
        ) { row in
            Column(
                name: try row[0], type: try row[1], isNotNull: try row[2],
                defaultSQL: try row[3], keyPosition: try row[4],
                isGenerated: try row[5] as Int > 1)
        }
        try Self.requireOneEach(columns, name)
        self.columns = columns
        let parts = columns.filter { $0.keyPosition > 0 }.sorted {
            $0.keyPosition < $1.keyPosition
        }
        if parts.count == 1, !isWithoutRowID, parts[0].type.asciiLowercased == "integer",
            try !Self.isDescending(name, connection)
        {
            key = .row(parts[0])
        } else if !parts.isEmpty, isWithoutRowID || parts.allSatisfy(\.isNotNull) {
            key = .columns(parts)
        } else {
            key = .none
        }
    }

    /// SQLite refuses to make such a table, and reads one that somebody has written into the schema: a name would then
    /// mean the one column to some statements, and the other to others.
    private static func requireOneEach(_ columns: [Column], _ table: String) throws(LockstepError) {
        var names: Set<String> = []
        for column in columns where !names.insert(column.name.asciiLowercased).inserted {
            throw LockstepError(
                .foreignSchema, "the table \(table) in the file has two columns \(column.name)",
                hint: "somebody changed its schema: restore the database from a backup")
        }
    }

    /// SQLite's oldest quirk: INTEGER PRIMARY KEY DESC is not the rowid, and then has an index of its own.
    private static func isDescending(
        _ name: String, _ connection: borrowing Connection
    ) throws -> Bool {
        try connection.value(
            "SELECT EXISTS (SELECT 1 FROM pragma_index_list(?, 'main') WHERE origin = 'pk')", name)
            ?? false
    }

    /// By what SQL can go through the rows in an order; nil without one.
    var rowIDName: String? {
        if case .row(let column) = key { return SQLTokens.quote(column.name) }
        guard hasRowID else { return nil }
        return RowIDName.free(beside: columns.map(\.name.asciiLowercased)).first
    }

    /// What keeps SQLite from lending handles on its values; nil if nothing does.
    var obstacleToStreams: String? {
        if !hasRowID { return "its table is WITHOUT ROWID" }
        return columns.contains(where: \.isGenerated) ? "its table has generated columns" : nil
    }

    func column(_ name: String) -> Column? {
        columns.first { $0.name.asciiLowercased == name.asciiLowercased }
    }

    /// Whether new rows get numbers that were never used.
    var isAutoincrement: Bool {
        SQLTokens.hasWord("autoincrement", in: sql)
    }
}
