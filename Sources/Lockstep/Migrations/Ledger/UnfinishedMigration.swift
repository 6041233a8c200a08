// The progress of a version: the table lockstep_progress
// ======================================================
//
// The table contains only versions that take several transactions, and only between the first and the last of them.
// The transaction that writes the ledger deletes the row, and with the last row the table.
//
//   set, version     identify the migration; together unique
//   name, checksum_bytes, checksum_text, checksum_tokens, down     as in the ledger, of the file that was started
//   is_up            1 if it is being applied, 0 if it is being undone
//   segment          the number of completed segments of the script
//   cursor           within the next segment: the last key of a backfill, or the number of bytes of SQL that have run
//   started_at       microseconds since 1970-01-01T00:00:00Z
//   completed        the digest of what has run, see CompletedPart. NULL in a row that an earlier build wrote:
//                    such a version continues only with the file that it was started with

/// A version that was started but not finished: the run was killed, stopped or failed between two of its
/// transactions.
public struct UnfinishedMigration: Sendable, Equatable {
    /// The name of its set.
    public let set: String
    /// Its version.
    public let version: MigrationVersion
    /// The name in its file name.
    public let name: String
    /// Whether it was being applied, as opposed to undone.
    public let isUp: Bool
    /// The time of its start, in microseconds since 1970-01-01T00:00:00Z.
    public internal(set) var startedAt: Int64
    var checksums: MigrationChecksums
    var down: String?
    var segment: Int
    var cursor: Value
    /// The digest of what has run; nil in a row of an older version.
    var completed: [UInt8]?

    /// For hints: how to end a version that cannot continue.
    var givingUp: LockstepError.Advice {
        "give the version up, which leaves what has run: \(.abandon(set: set, version: "\(version)"))"
    }

    /// Whether the completed part can be undone.
    public var isReversible: Bool { down != nil }
}

/// Reads and writes the progress of versions.
enum MigrationProgress {
    /// - Throws: ``LockstepError/Code/tampered`` for a row that Lockstep did not write.
    static func all(_ connection: borrowing Connection) throws -> [UnfinishedMigration] {
        guard try EngineTables.exists(EngineTables.progress, connection) else { return [] }
        let completed = try hasCompleted(connection) ? "completed" : "NULL"
        let found = try LedgerRows.decoding("progress table") {
            try connection.query(
                """
                SELECT "set", version, name, checksum_bytes, checksum_text, checksum_tokens, down, is_up,
                       segment, cursor, started_at, \(verbatim: completed)
                FROM main.lockstep_progress ORDER BY started_at
                """
            ) { row in
                UnfinishedMigration(
                    set: try row[0], version: try LedgerRows.version(row[1]), name: try row[2],
                    isUp: try row[7], startedAt: try row[10],
                    checksums: try LedgerRows.checksums(row, from: 3), down: try row[6],
                    segment: try row[8], cursor: try row[9], completed: try row[11])
            }
        }
        guard found.allSatisfy({ $0.segment >= 0 && ($0.completed?.count ?? 32) == 32 }),
            LedgerRows.isUnique(found.map { LedgerRows.Key($0.set, $0.version) })
        else { throw LedgerRows.impossible("progress entry") }
        return found
    }

    /// Records the start of a version, or its progress, in the transaction of that progress.
    static func record(
        _ progress: UnfinishedMigration, _ connection: borrowing Connection
    ) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS main.lockstep_progress (
                "set" TEXT NOT NULL,
                version TEXT NOT NULL,
                name TEXT NOT NULL,
                checksum_bytes BLOB NOT NULL,
                checksum_text BLOB NOT NULL,
                checksum_tokens BLOB NOT NULL,
                down TEXT,
                is_up INTEGER NOT NULL,
                segment INTEGER NOT NULL,
                cursor,
                started_at INTEGER NOT NULL,
                completed BLOB,
                PRIMARY KEY ("set", version)
            )
            """)
        if try !hasCompleted(connection) {
            try connection.execute("ALTER TABLE main.lockstep_progress ADD COLUMN completed BLOB")
        }
        // A changed file that goes on takes the place of the file that began.
        try connection.execute(
            """
            INSERT INTO main.lockstep_progress VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET
                checksum_bytes = excluded.checksum_bytes, checksum_text = excluded.checksum_text,
                checksum_tokens = excluded.checksum_tokens, down = excluded.down,
                segment = excluded.segment, cursor = excluded.cursor, completed = excluded.completed
            """, progress.set, progress.version.description, progress.name,
            progress.checksums.bytes, progress.checksums.text, progress.checksums.tokens,
            progress.down, progress.isUp, progress.segment, progress.cursor, progress.startedAt,
            progress.completed)
    }

    private static func hasCompleted(_ connection: borrowing Connection) throws -> Bool {
        try EngineTables.exists(column: "completed", of: EngineTables.progress, connection)
    }

    /// Deletes the progress of a version. The caller must have read the ledger before, and no other connection
    /// can have written since.
    static func erase(
        _ set: String, _ version: MigrationVersion, _ connection: borrowing Connection
    ) throws {
        guard try EngineTables.exists(EngineTables.progress, connection, isSchemaRead: true) else {
            return
        }
        try connection.execute(
            "DELETE FROM main.lockstep_progress WHERE \"set\" = ? AND version = ?", set,
            version.description)
        let left: Int? = try connection.value("SELECT count(*) FROM main.lockstep_progress")
        if left == 0 { try connection.execute("DROP TABLE main.lockstep_progress") }
    }
}
