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

    static let names = [ledger, epochs, progress, repeatables]

    /// For SQL, what a schema of the program's does not count: `name NOT IN (\(verbatim: quotedNames))`.
    static let quotedNames = names.map { "'\($0)'" }.joined(separator: ", ")

    /// Whether there is such a table.
    static func exists(_ table: String, _ connection: borrowing Connection) throws -> Bool {
        try connection.value(
            "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = ?", table,
            as: Int64.self) == 1
    }
}
