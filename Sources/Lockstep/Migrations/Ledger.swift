// The ledger, in the database it speaks of
// ========================================
//
//   lockstep_migration
//     position         order of application, ascending
//     set, version     which migration; together unique
//     name             what its file calls it
//     checksum_bytes   SHA-256 of the file · checksum_text of its text with LF endings ·
//     checksum_tokens  of its tokens, without spacing and comments
//     down             the SQL that leads back, so that a program without the file can step down; or NULL
//     applied_at       microseconds since 1970-01-01T00:00:00Z
//     duration         microseconds
//     tool_version     of the Lockstep that applied it
//
// A row is written in the transaction of the migration it speaks of, so the two cannot disagree: there
// is no state in between that would have to be repaired.

/// A migration that was applied.
public struct LedgerEntry: Sendable, Equatable {
    /// Its set's name.
    public let set: String
    /// Its version.
    public let version: MigrationVersion
    /// What its file called it.
    public let name: String
    let checksums: MigrationChecksums
    let down: String?
    /// When, in microseconds since 1970-01-01T00:00:00Z.
    public let appliedAt: Int64
    /// For how long, in microseconds.
    public let duration: Int64
    /// Which version of Lockstep applied it.
    public let toolVersion: String
    let position: Int64

    /// Whether the version can be undone.
    public var isReversible: Bool { down != nil }
}

/// What a database remembers of migrations.
public struct MigrationHistory: Sendable, Equatable {
    /// What was applied, in the order of application.
    public let entries: [LedgerEntry]
    /// What was begun and not ended.
    public let unfinished: [UnfinishedMigration]
    /// What ran as often as it had changed.
    public let repeated: [RepeatedMigration]

    /// A history of these.
    public init(
        entries: [LedgerEntry] = [], unfinished: [UnfinishedMigration] = [],
        repeated: [RepeatedMigration] = []
    ) {
        self.entries = entries
        self.unfinished = unfinished
        self.repeated = repeated
    }
}

/// Reads and writes the ledger.
public enum Ledger {
    /// What was applied, in the order of application; empty for a database without a ledger.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that no Lockstep wrote.
    public static func entries(_ connection: borrowing Connection) throws -> [LedgerEntry] {
        guard try EngineTables.exists(EngineTables.ledger, connection) else { return [] }
        return try connection.query(
            """
            SELECT position, "set", version, name, checksum_bytes, checksum_text, checksum_tokens,
                   down, applied_at, duration, tool_version
            FROM main.lockstep_migration ORDER BY position
            """
        ) { row in
            let text: String = try row[2]
            guard let version = MigrationVersion(text) else { throw impossibleVersion() }
            return LedgerEntry(
                set: try row[1], version: version, name: try row[3],
                checksums: MigrationChecksums(
                    bytes: try row[4], text: try row[5], tokens: try row[6]),
                down: try row[7], appliedAt: try row[8], duration: try row[9],
                toolVersion: try row[10], position: try row[0])
        }
    }

    /// All that the database remembers of migrations.
    public static func history(_ connection: borrowing Connection) throws -> MigrationHistory {
        MigrationHistory(
            entries: try entries(connection), unfinished: try MigrationProgress.all(connection),
            repeated: try RepeatableLedger.all(connection))
    }

    static func impossibleVersion() -> LockstepError {
        LockstepError(
            .tampered, "the ledger holds a version that cannot be one",
            hint: "restore the database from a backup")
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
        try connection.execute(
            """
            INSERT INTO main.lockstep_migration ("set", version, name, checksum_bytes, checksum_text,
                checksum_tokens, down, applied_at, duration, tool_version)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, set, migration.version.description, migration.name,
            migration.checksums.bytes, migration.checksums.text, migration.checksums.tokens,
            migration.recordedDown,
            Clock.microsecondsSinceEpoch, duration, LockstepVersion.current)
        try mirrorCount(connection)
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
