/// The shape of a table with sealed columns.
package struct SealedTable: Sendable, Equatable {
    package struct Column: Sendable, Equatable {
        @Exact package private(set) var name: String
        /// The declared type; empty if none was declared.
        @Exact package private(set) var type: String
        package let isNotNull: Bool
        /// The default expression as stored in the file. It never enters SQL that the engine generates.
        @Exact package private(set) var defaultSQL: String?
        /// Its position in the primary key, from 1; 0 if it is not part of it.
        package let keyPosition: Int
        package let isGenerated: Bool

        package init(
            name: String, type: String, isNotNull: Bool, defaultSQL: String?, keyPosition: Int, isGenerated: Bool
        ) {
            (self.name, self.type, self.isNotNull) = (name, type, isNotNull)
            (self.defaultSQL, self.keyPosition) = (defaultSQL, keyPosition)
            self.isGenerated = isGenerated
        }

        var affinity: Affinity { Affinity(type) }

        /// Its default if it is a literal, which generated SQL can contain.
        var literalDefault: LiteralDefault? { defaultSQL.flatMap(LiteralDefault.init) }
    }

    /// The key that identifies a row, and that cells are bound to.
    package enum Key: Sendable, Equatable {
        /// An INTEGER PRIMARY KEY.
        case row(Column)
        /// A declared primary key whose columns are NOT NULL, in the key's order.
        case columns([Column])
        /// Only a bare rowid, which VACUUM can change, or a key that can be NULL.
        case none

        package var columns: [Column] {
            switch self {
            case .row(let column): [column]
            case .columns(let columns): columns
            case .none: []
            }
        }
    }

    /// The name as the schema spells it.
    @Exact package private(set) var name: String
    package let columns: [Column]
    package let key: Key
    let hasRowID: Bool
    let isStrict: Bool
    @Exact private(set) var sql: String

    package var quotedName: String { SQLTokens.quote(name) }

    /// A table whose catalogue somebody else has read.
    package init(
        name: String, columns: [Column], key: Key, hasRowID: Bool, isStrict: Bool, sql: String
    ) throws(LockstepError) {
        try Self.requireOneEach(columns, name)
        (self.name, self.columns, self.key) = (name, columns, key)
        (self.hasRowID, self.isStrict, self.sql) = (hasRowID, isStrict, sql)
    }

    /// Nil if the file has no such table.
    package init?(_ name: String, _ connection: borrowing Connection) throws {
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

    /// SQLite refuses to create a table with two columns of one name, but reads one that was written into the schema
    /// directly. The name would then mean different columns in different statements.
    private static func requireOneEach(_ columns: [Column], _ table: String) throws(LockstepError) {
        var names: Set<SQLName> = []
        for column in columns where !names.insert(SQLName(column.name)).inserted {
            throw LockstepError(
                .foreignSchema, "the table \(table) in the file has two columns named \(column.name)",
                hint: "somebody changed the schema; restore the database from a backup",
                context: .init(table: table, column: column.name))
        }
    }

    /// A quirk of SQLite: INTEGER PRIMARY KEY DESC is not the rowid, and has a separate index.
    private static func isDescending(
        _ name: String, _ connection: borrowing Connection
    ) throws -> Bool {
        try connection.value("SELECT EXISTS (SELECT 1 FROM pragma_index_list(?, 'main') WHERE origin = 'pk')", name)
            ?? false
    }

    /// The columns whose values a cell of this mode is bound to.
    package func boundColumns(_ mode: SealingMode) -> [Column] {
        mode.bindsToRow ? key.columns : []
    }

    /// The SQL name of the rowid, which gives the rows an order; nil if the table has none.
    var rowIDName: String? {
        if case .row(let column) = key { return SQLTokens.quote(column.name) }
        guard hasRowID else { return nil }
        return RowIDName.free(beside: columns.map { SQLName($0.name) }).first
    }

    /// The reason why SQLite cannot open BLOB handles on the table's values; nil if it can.
    var obstacleToStreams: String? {
        if !hasRowID { return "its table is WITHOUT ROWID" }
        return columns.contains(where: \.isGenerated) ? "its table has generated columns" : nil
    }

    package func column(_ name: String) -> Column? {
        columns.first { SQLName($0.name) == SQLName(name) }
    }

    /// Whether a new row's number is one that was never used before.
    var isAutoincrement: Bool {
        SQLTokens.hasWord("autoincrement", in: sql)
    }
}
