internal import CSQLCipher

extension EngineTables {
    /// Whether the table exists.
    ///
    /// `sqlite_schema` has no index by name, and reading all of it for each of many migrations would add up.
    /// This asks SQLite's schema in memory instead, after making sure that it matches the file.
    /// - Parameter isSchemaRead: Whether it already matches: the schema was used in the open transaction, or
    ///   before it and no other connection has written since.
    static func exists(
        _ table: String, _ connection: borrowing Connection, isSchemaRead: Bool = false
    ) throws -> Bool {
        if !isSchemaRead {
            _ = try connection.value(
                "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema)", as: Bool.self)
        }
        return try knows(nil, of: table, connection)
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
