/// Reads and writes the ledger.
public enum Ledger {
    /// The applied migrations in the order of application; empty for a database without a ledger.
    ///
    /// With field keys, each row that has a MAC under one of them is checked, which takes some microseconds per
    /// row.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that Lockstep did not write, or that was changed
    ///   since.
    public static func entries(_ connection: borrowing Connection) throws -> [LedgerEntry] {
        let entries = try LedgerRows.read(connection)
        try LedgerCodes(connection).check(entries)
        return entries
    }

    /// Everything that the database records about migrations.
    /// - Throws: The errors of ``entries(_:)``; with field keys, ``LockstepError/Code/migrationUnfinished`` for a
    ///   version in progress that none of them has begun.
    public static func history(_ connection: borrowing Connection) throws -> MigrationHistory {
        // One snapshot: another runner can end a version, and drop the progress table, between two looks.
        try connection.read { connection in
            let history = MigrationHistory(
                entries: try entries(connection), unfinished: try MigrationProgress.all(connection),
                repeated: try LedgerRows.repeated(connection))
            try history.requireConsistent()
            return history
        }
    }

    /// The migrations that were started but not finished, also those that no field key of the connection proves: to end
    /// one with ``UnfinishedMigration/abandon(on:timeout:)``.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that is impossible.
    public static func unfinished(
        _ connection: borrowing Connection
    ) throws -> [UnfinishedMigration] { try MigrationProgress.unproven(connection) }

    /// Creates the table if it does not exist. The caller must have read the ledger before, and no other
    /// connection can have written since.
    package static func prepare(_ connection: borrowing Connection) throws {
        guard try !EngineTables.exists(EngineTables.ledger, connection, isSchemaRead: true) else {
            return
        }
        try connection.make(.ledger)
    }

    /// Records a version as applied, within the open transaction and with the engine's rights; the table must exist.
    /// - Parameter duration: In microseconds.
    package static func record(
        _ migration: Migration, of set: String, duration: Int64,
        _ connection: borrowing Connection
    ) throws {
        let last: Int64? = try connection.value("SELECT coalesce(max(position), 0) FROM main.lockstep_migration")
        try LedgerRows.record(
            migration, of: set, after: last ?? 0, duration: duration, LedgerCodes(connection), connection)
        try mirrorCount(connection)
    }

    static func erase(_ entry: LedgerEntry, _ connection: borrowing Connection) throws {
        try connection.delete(from: .ledger, where: [("position", .integer(entry.position))])
        try mirrorCount(connection)
    }

    /// `user_version` shows the progress of the schema to readers that do not know the ledger.
    private static func mirrorCount(_ connection: borrowing Connection) throws {
        let count: Int64? = try connection.value("SELECT count(*) FROM main.lockstep_migration")
        try connection.setHeaderField("user_version", count ?? 0)
    }
}
