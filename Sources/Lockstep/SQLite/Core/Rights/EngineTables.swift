internal import CSQLCipher

/// The tables that the engine keeps in a database beside the program's. SQL of programs and migrations may read
/// them, and nothing else: whatever begins with ``prefix`` is the engine's.
enum EngineTables {
    static let prefix = "lockstep_"

    /// Which migrations were applied.
    static let ledger = "lockstep_migration"
    /// How old a keyring may be.
    static let epochs = "lockstep_keyring"
    /// How far versions of several transactions have come.
    static let progress = "lockstep_progress"
    /// Which migrations that run again have run.
    static let repeatables = "lockstep_repeatable"

    /// The datasets whose columns are sealed.
    static let datasets = "lockstep_dataset"
    /// Their columns.
    static let columns = "lockstep_column"
    /// Their blind indexes.
    static let indexes = "lockstep_index"
    /// The fingerprints of their keys.
    static let fieldKeys = "lockstep_field_key"

    /// The manifests of their releases.
    static let manifests = "lockstep_manifest"

    /// How the names of the triggers begin that keep sealed columns from being spoiled.
    static let guardPrefix = "lockstep_sealed_"

    static let names = [
        ledger, epochs, progress, repeatables, datasets, columns, indexes, fieldKeys, manifests,
    ]

    /// For SQL, what a schema of the program's does not count: `name NOT IN (\(verbatim: quotedNames))`.
    static let quotedNames = names.map { "'\($0)'" }.joined(separator: ", ")

    /// Whether only the engine may use the name, which is given in lower case. Tables that a migration rebuilds
    /// bear a name of their own for a moment.
    static func isReserved(_ name: String) -> Bool {
        name.hasPrefix(prefix) && !name.hasPrefix("lockstep_rebuild_")
    }

    /// Whether there is such a table.
    ///
    /// The schema's own table has no index by name, and reading all of it for each migration of a long row
    /// of them would add up: what SQLite has of it in memory is asked, once that is the file's.
    /// - Parameter isSchemaRead: Whether that is so already: the schema was used in the transaction that is
    ///   open, or before it and nobody else has written since.
    static func exists(
        _ table: String, _ connection: borrowing Connection, isSchemaRead: Bool = false
    ) throws -> Bool {
        if !isSchemaRead {
            _ = try connection.value(
                "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema)", as: Bool.self)
        }
        return try knows(nil, of: table, connection)
    }

    /// Whether the table has the column, after a look at the schema that still holds.
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

    /// Whether a table that exists has a column: formats grow by columns.
    static func has(_ column: String, in table: String, _ connection: borrowing Connection) -> Bool
    {
        unsafe sqlite3_table_column_metadata(
            connection.handle, "main", table, column, nil, nil, nil, nil, nil) == SQLITE_OK
    }
}
