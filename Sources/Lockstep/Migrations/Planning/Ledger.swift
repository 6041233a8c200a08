/// Reads and writes the ledger.
public enum Ledger {
    /// What was applied, in the order of application; empty for a database without a ledger.
    ///
    /// With field keys each row that has a MAC under one of them is checked: some microseconds a row.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that no Lockstep wrote, or that was changed since.
    public static func entries(_ connection: borrowing Connection) throws -> [LedgerEntry] {
        let entries = try LedgerRows.read(connection)
        try LedgerCodes(connection).check(entries)
        return entries
    }

    /// All that the database remembers of migrations.
    /// - Throws: as ``entries(_:)``.
    public static func history(_ connection: borrowing Connection) throws -> MigrationHistory {
        let history = try all(connection)
        guard !history.unfinished.isEmpty else { return history }
        // What is under way has to fit what was applied, so both have to be of one moment.
        guard !connection.isInTransaction else {
            try LedgerRows.requireConsistent(history)
            return history
        }
        return try connection.read { connection in
            let history = try all(connection)
            try LedgerRows.requireConsistent(history)
            return history
        }
    }

    private static func all(_ connection: borrowing Connection) throws -> MigrationHistory {
        MigrationHistory(
            entries: try entries(connection), unfinished: try MigrationProgress.all(connection),
            repeated: try RepeatableLedger.all(connection))
    }

    /// Makes the table unless it is there. The ledger must have been looked at before, and nobody else have
    /// written since.
    static func prepare(_ connection: borrowing Connection) throws {
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

    static func record(
        _ migration: Migration, of set: String, duration: Int64,
        _ connection: borrowing Connection
    ) throws {
        var entry = LedgerEntry(
            set: set, version: migration.version, name: migration.name,
            checksums: migration.checksums, down: migration.recordedDown,
            appliedAt: Clock.microsecondsSinceEpoch, duration: duration,
            toolVersion: LockstepVersion.current, position: try nextPosition(connection))
        entry.code = try LedgerCodes(connection).code(for: entry)
        try LedgerRows.write(entry, connection)
        try mirrorCount(connection)
    }

    /// The MAC covers the place, so it has to be known before the row is written.
    private static func nextPosition(_ connection: borrowing Connection) throws -> Int64 {
        let last: Int64? = try connection.value(
            "SELECT coalesce(max(position), 0) FROM main.lockstep_migration")
        let (next, overflow) = (last ?? 0).addingReportingOverflow(1)
        guard !overflow else { throw LedgerRows.impossible("position") }
        return next
    }

    static func erase(_ entry: LedgerEntry, _ connection: borrowing Connection) throws {
        try connection.execute(
            "DELETE FROM main.lockstep_migration WHERE position = ?", entry.position)
        try mirrorCount(connection)
    }

    /// `user_version` shows readers that know nothing of the ledger how far the schema has come.
    private static func mirrorCount(_ connection: borrowing Connection) throws {
        let count: Int64? = try connection.value("SELECT count(*) FROM main.lockstep_migration")
        try connection.setHeaderField("user_version", count ?? 0)
    }
}
