// Repeatable migrations: the table lockstep_repeatable
// ====================================================
//
// A file that runs after all versions whenever it has changed: views, triggers, reference data.
//
//   set, name        identify the file; together unique
//   checksum_bytes, checksum_text, checksum_tokens     of the file as it last ran
//   applied_at, duration, tool_version                 as in the ledger

/// A repeatable migration as it last ran.
public struct RepeatedMigration: Sendable, Equatable {
    /// The name of its set.
    @Exact public private(set) var set: String
    /// Its name, which identifies it in place of a version.
    @Exact public private(set) var name: String
    /// The time of its last run, in microseconds since 1970-01-01T00:00:00Z.
    public let appliedAt: Int64
    package let checksums: MigrationChecksums

    package init(set: String, name: String, appliedAt: Int64, checksums: MigrationChecksums) {
        (self.set, self.name) = (set, name)
        (self.appliedAt, self.checksums) = (appliedAt, checksums)
    }
}

/// Reads and writes the record of repeatable migrations.
enum RepeatableLedger {
    /// - Throws: ``LockstepError/Code/tampered`` for a row that Lockstep did not write.
    static func all(_ connection: borrowing Connection) throws -> [RepeatedMigration] {
        guard try EngineTables.exists(EngineTables.repeatables, connection) else { return [] }
        let found = try LedgerRows.decoding("ledger of repeatable migrations") {
            try connection.query(
                """
                SELECT "set", name, applied_at, checksum_bytes, checksum_text, checksum_tokens
                FROM main.lockstep_repeatable ORDER BY "set", name
                """
            ) { row in
                RepeatedMigration(
                    set: try row[0], name: try row[1], appliedAt: try row[2],
                    checksums: try LedgerRows.checksums(row, from: 3))
            }
        }
        guard LedgerRows.isUnique(found.map { [ExactText($0.set), ExactText($0.name)] }) else {
            throw LedgerRows.impossible("repeatable migration")
        }
        return found
    }

    static func record(
        _ file: MigrationFile, of set: String, duration: Int64,
        _ connection: borrowing Connection
    ) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS main.lockstep_repeatable (
                "set" TEXT NOT NULL,
                name TEXT NOT NULL,
                checksum_bytes BLOB NOT NULL,
                checksum_text BLOB NOT NULL,
                checksum_tokens BLOB NOT NULL,
                applied_at INTEGER NOT NULL,
                duration INTEGER NOT NULL,
                tool_version TEXT NOT NULL,
                PRIMARY KEY ("set", name)
            )
            """)
        try connection.execute(
            "INSERT OR REPLACE INTO main.lockstep_repeatable VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            set, file.name, file.checksums.bytes, file.checksums.text, file.checksums.tokens,
            Clock.microsecondsSinceEpoch, duration, LockstepVersion.current)
    }
}
