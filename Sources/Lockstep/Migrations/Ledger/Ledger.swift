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
                repeated: try RepeatableLedger.all(connection))
            if !history.unfinished.isEmpty { try LedgerRows.requireConsistent(history) }
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
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS main.lockstep_migration (
                position INTEGER PRIMARY KEY,
                "set" TEXT NOT NULL,
                version TEXT NOT NULL,
                name TEXT NOT NULL,
                checksum_bytes BLOB NOT NULL,
                checksum_text BLOB NOT NULL,
                checksum_tokens BLOB NOT NULL,
                down TEXT,
                applied_at INTEGER NOT NULL,
                duration INTEGER NOT NULL,
                tool_version TEXT NOT NULL,
                UNIQUE ("set", version)
            )
            """)
    }

    /// Records a version as applied, within the open transaction and with the engine's rights; the table must exist.
    /// - Parameter duration: In microseconds.
    package static func record(
        _ migration: Migration, of set: String, duration: Int64,
        _ connection: borrowing Connection
    ) throws {
        var entry = LedgerEntry(
            set: set, version: migration.version, name: migration.name, checksums: migration.checksums,
            down: migration.recordedDown, appliedAt: Clock.microsecondsSinceEpoch, duration: duration,
            toolVersion: LockstepVersion.current, position: try nextPosition(connection))
        entry.code = try LedgerCodes(connection).code(for: entry)
        try LedgerRows.write(entry, connection)
        try mirrorCount(connection)
    }

    /// The MAC covers the position, so the position must be known before the row is written.
    private static func nextPosition(_ connection: borrowing Connection) throws -> Int64 {
        let last: Int64? = try connection.value("SELECT coalesce(max(position), 0) FROM main.lockstep_migration")
        let (next, overflow) = (last ?? 0).addingReportingOverflow(1)
        guard !overflow else { throw LedgerRows.impossible("position") }
        return next
    }

    static func erase(_ entry: LedgerEntry, _ connection: borrowing Connection) throws {
        try connection.execute("DELETE FROM main.lockstep_migration WHERE position = ?", entry.position)
        try mirrorCount(connection)
    }

    /// `user_version` shows the progress of the schema to readers that do not know the ledger.
    private static func mirrorCount(_ connection: borrowing Connection) throws {
        let count: Int64? = try connection.value("SELECT count(*) FROM main.lockstep_migration")
        try connection.setHeaderField("user_version", count ?? 0)
    }
}
