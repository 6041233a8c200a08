internal import CSQLCipher

extension EngineTables {
    /// The most rows that one of the tables can have. Lockstep writes one for each migration, keyring, sealed column, index
    /// or key.
    static let mostRows = 65_536
    /// The most bytes of texts and blobs in one of the tables. The largest are ways down of migrations.
    static let mostBytes = 64 * 1024 * 1024

    /// Whether the table exists and is a table. Its rows can then be read into memory: anyone with the database's key can
    /// have written them, so their number and size are counted first.
    ///
    /// `sqlite_schema` has no index by name, and reading all of it for each of many migrations would add up. So a table
    /// that does not exist takes no query: this asks SQLite's schema in memory, after making sure that it matches the
    /// file.
    /// - Parameter isSchemaRead: Whether the table was read or found missing in the open transaction, or before it and no
    ///   other connection has written since. Nothing is counted then.
    /// - Throws: ``LockstepError/Code/tampered`` for a virtual table, and for more rows or bytes than Lockstep writes.
    static func exists(
        _ table: String, _ connection: borrowing Connection, isSchemaRead: Bool = false
    ) throws -> Bool {
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

    /// A virtual table has no pages of its own: its rows are whatever its module says.
    private static func requireTable(_ table: String, _ connection: borrowing Connection) throws {
        let isTable = try connection.value(
            """
            SELECT EXISTS (SELECT 1 FROM main.sqlite_schema
                WHERE type = 'table' AND lower(name) = ? AND rootpage > 0)
            """, table, as: Bool.self)
        guard isTable == true else { throw foreign("\(table) is not an ordinary table") }
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
        let found: (Int, Double)?
        do {
            // SQLite refuses a longer value before it takes memory for it.
            let before = unsafe sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, -1)
            unsafe _ = sqlite3_limit(
                connection.handle, SQLITE_LIMIT_LENGTH, min(before, Int32(mostBytes)))
            defer { unsafe _ = sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, before) }
            found = try connection.query(sql, as: (Int, Double).self).first
        } catch let error as LockstepError
            where error.sqliteCode.map({ $0 & 0xFF }) == SQLITE_TOOBIG
        {
            throw foreign("\(table) has a value of more than \(mostBytes) bytes")
        }
        let (rows, bytes) = found ?? (0, 0)
        guard rows <= mostRows else { throw foreign("\(table) has more than \(mostRows) rows") }
        guard bytes <= Double(mostBytes) else {
            throw foreign("the rows of \(table) have more than \(mostBytes) bytes")
        }
    }

    private static func foreign(_ what: String) -> LockstepError {
        LockstepError(
            .tampered, "\(what): Lockstep did not write it",
            hint: "restore the database from a backup")
    }

    /// Whether the table has the column. The schema in memory must match the file.
    static func exists(
        column: String, of table: String, _ connection: borrowing Connection
    ) throws -> Bool {
        try knows(column, of: table, connection)
    }

    private static func knows(
        _ column: String?, of table: String, _ connection: borrowing Connection
    ) throws -> Bool {
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
    static func has(_ column: String, in table: String, _ connection: borrowing Connection) -> Bool
    {
        unsafe sqlite3_table_column_metadata(
            connection.handle, "main", table, column, nil, nil, nil, nil, nil) == SQLITE_OK
    }
}
