internal import CSQLCipher

/// The engine's tables in a database, next to the program's. SQL in programs and migrations can only read them:
/// every name that begins with ``prefix`` is reserved for the engine.
enum EngineTables {
    static let prefix = "lockstep_"

    /// The applied migrations.
    static let ledger = "lockstep_migration"
    /// The lowest accepted epochs of keyrings.
    static let epochs = "lockstep_keyring"
    /// The progress of versions that take several transactions.
    static let progress = "lockstep_progress"
    /// The repeatable migrations that have run.
    static let repeatables = "lockstep_repeatable"

    /// The datasets with sealed columns.
    static let datasets = "lockstep_dataset"
    /// Their columns.
    static let columns = "lockstep_column"
    /// Their blind indexes.
    static let indexes = "lockstep_index"
    /// The fingerprints of their keys.
    static let fieldKeys = "lockstep_field_key"

    /// The manifests of their releases.
    static let manifests = "lockstep_manifest"

    /// The prefix of the triggers that protect sealed columns.
    static let guardPrefix = "lockstep_sealed_"

    static let names = [
        ledger, epochs, progress, repeatables, datasets, columns, indexes, fieldKeys, manifests,
    ]

    /// For SQL that excludes these tables from a program's schema: `name NOT IN (\(verbatim: quotedNames))`.
    static let quotedNames = names.map { "'\($0)'" }.joined(separator: ", ")

    /// Whether a name is reserved for the engine. A table that a migration rebuilds has a temporary name of its own
    /// with the same prefix, which is not reserved.
    static func isReserved(_ name: SQLName) -> Bool {
        name.hasPrefix(SQLName(prefix)) && !name.hasPrefix("lockstep_rebuild_")
    }

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
