internal import CSQLCipher

extension EngineTables {
    /// The most rows that one of the tables can have. Lockstep writes one for each migration, keyring, sealed column,
    /// index or key.
    static let mostRows = 65_536
    /// The most bytes of texts and blobs in one of the tables. The largest are ways down of migrations.
    static let mostBytes = 64 * 1024 * 1024

    /// Whether the table exists and is a table. Its rows can then be read into memory: anyone with the database's key
    /// can have written them, so their number and size are counted first.
    ///
    /// `sqlite_schema` has no index by name, and reading all of it for each of many migrations would add up. So a table
    /// that does not exist takes no query: this asks SQLite's schema in memory, after making sure that it matches the
    /// file.
    /// - Parameter isSchemaRead: Whether the table was read or found missing in the open transaction, or before it and
    ///   no other connection has written since. Nothing is counted then.
    /// - Throws: ``LockstepError/Code/tampered`` for a virtual table, and for more rows or bytes than Lockstep writes.
    static func exists(_ table: String, _ connection: borrowing Connection, isSchemaRead: Bool = false) throws -> Bool {
        guard !isSchemaRead else { return try knows(nil, of: table, connection) }
        _ = try connection.value(
            "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema)", as: Bool.self)
        guard try knows(nil, of: table, connection) else { return false }
        return try connection.with(rights: .engine) {
            try requireTable(table, connection)
            try requireBounded(table, connection)
            return true
        }
    }

    /// The same for a table that every opening reads: nothing is counted.
    /// - Parameter read: Reads the rows, and counts each. It keeps only what Lockstep can have written.
    static func readIfExists(
        _ table: String, _ connection: borrowing Connection, _ read: (RowLimit) throws -> Void
    ) throws {
        let isTable = try isTable(table, connection)
        guard try knows(nil, of: table, connection) else { return }
        guard isTable else { throw foreign("\(table) is not an ordinary table") }
        try withBoundedValues(of: table, connection) { try read(RowLimit(table)) }
    }

    /// A virtual table has no pages of its own: its rows are whatever its module says.
    private static func requireTable(_ table: String, _ connection: borrowing Connection) throws {
        guard try isTable(table, connection) else {
            throw foreign("\(table) is not an ordinary table")
        }
    }

    private static func isTable(
        _ table: String, _ connection: borrowing Connection
    ) throws -> Bool {
        try connection.value(
            """
            SELECT EXISTS (SELECT 1 FROM main.sqlite_schema
                WHERE type = 'table' AND lower(name) = ? AND rootpage > 0)
            """, table, as: Bool.self) == true
    }

    /// Counts the rows of a table while they are read.
    struct RowLimit {
        private let table: String
        private var rows = 0

        fileprivate init(_ table: String) { self.table = table }

        /// - Throws: ``LockstepError/Code/tampered`` for more rows than Lockstep writes.
        mutating func count() throws {
            rows += 1
            guard rows <= mostRows else { throw EngineTables.tooMany(table) }
        }
    }

    private static func requireBounded(_ table: String, _ connection: borrowing Connection) throws {
        let columns = try connection.query(
            "SELECT name FROM pragma_table_info(?, 'main')", table
        ) { row in try row[0] as String }
        let sizes = columns.map {
            "CASE WHEN typeof(\(SQLTokens.quote($0))) IN ('text', 'blob') "
                + "THEN length(CAST(\(SQLTokens.quote($0)) AS BLOB)) ELSE 0 END"
        }
        let sql: SQL = """
            SELECT count(*), total(size) FROM (SELECT \(verbatim: sizes.joined(separator: " + ")) AS size
                FROM main.\(name: table) LIMIT \(mostRows + 1))
            """
        let found = try withBoundedValues(of: table, connection) {
            try connection.query(sql, as: (Int, Double).self).first
        }
        let (rows, bytes) = found ?? (0, 0)
        guard rows <= mostRows else { throw tooMany(table) }
        guard bytes <= Double(mostBytes) else {
            throw foreign("the rows of \(table) have more than \(mostBytes) bytes")
        }
    }

    /// SQLite refuses a longer value before it takes memory for it.
    private static func withBoundedValues<Result>(
        of table: String, _ connection: borrowing Connection, _ body: () throws -> Result
    ) throws -> Result {
        let before = unsafe sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, -1)
        unsafe _ = sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, min(before, Int32(mostBytes)))
        defer { unsafe _ = sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, before) }
        do {
            return try body()
        } catch let error as LockstepError
            where error.sqliteCode.map({ $0 & 0xFF }) == SQLITE_TOOBIG
        {
            throw foreign("\(table) has a value of more than \(mostBytes) bytes")
        }
    }

    private static func tooMany(_ table: String) -> LockstepError {
        foreign("\(table) has more than \(mostRows) rows")
    }

    private static func foreign(_ what: String) -> LockstepError {
        LockstepError(.tampered, "\(what): Lockstep did not write it", hint: "restore the database from a backup")
    }

    /// Whether the table has the column. The schema in memory must match the file.
    static func exists(
        column: String, of table: String, _ connection: borrowing Connection
    ) throws -> Bool {
        try knows(column, of: table, connection)
    }

    private static func knows(_ column: String?, of table: String, _ connection: borrowing Connection) throws -> Bool {
        let code = unsafe sqlite3_table_column_metadata(
            connection.handle, "main", table, column, nil, nil, nil, nil, nil)
        switch code {
        case SQLITE_OK: return true
        // Also for a view of that name.
        case SQLITE_ERROR: return false
        default: throw connection.core.error(code)
        }
    }

    /// Whether an existing table has a column: later formats add columns.
    static func has(_ column: String, in table: String, _ connection: borrowing Connection) -> Bool {
        unsafe sqlite3_table_column_metadata(
            connection.handle, "main", table, column, nil, nil, nil, nil, nil) == SQLITE_OK
    }
}
