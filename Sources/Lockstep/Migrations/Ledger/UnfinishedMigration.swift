// The progress of a version: the table lockstep_progress
// ======================================================
//
// The table contains only versions that take several transactions, and only between the first and the last of them.
// The transaction that writes the ledger deletes the row, and with the last row the table.
//
//   set, version     identify the migration; together unique name, checksum_bytes, checksum_text, checksum_tokens, down
//       as in the ledger, of the file that was started is_up            1 if it is being applied, 0 if it is being
//   undone segment          the number of completed segments of the script cursor           within the next segment:
//   the last key of a backfill, or the number of bytes of SQL that have run started_at       microseconds since
//   1970-01-01T00:00:00Z completed        the digest of what has run, see CompletedPart. NULL in a row that an earlier
//   build wrote: such a version continues only with the file that it was started with mac_dataset, mac_key_version, mac
//   as in the ledger: NULL or absent in a row that was written without field keys. `mac` is over `progress/1`, the
//   dataset, the version of its field key, set, version, name, the three checksums, down, is_up, segment, cursor,
//   started_at and completed, encoded by ``AuthenticatedMessage``; is_up and segment are numbers, and cursor is its
//   storage class (0 NULL, 1 INTEGER, 2 REAL, 3 TEXT, 4 BLOB) and its value, a REAL as its bits
//
// A run goes on where the row says, and so leaves out what the row says is done. Anyone who can write the row could let
// a run leave out a `protect`. A connection with field keys therefore goes on only with a row that one of its keys has
// written. A row without a MAC, or with one of another dataset, was written without these keys, by an earlier build, or
// by somebody else: nothing shows which. Such a version continues on a connection without field keys, or is given up.

/// A version that was started but not finished: the run was killed, stopped or failed between two of its
/// transactions.
public struct UnfinishedMigration: Sendable, Equatable {
    /// The name of its set.
    @Exact public private(set) var set: String
    /// Its version.
    public let version: MigrationVersion
    /// The name in its file name.
    @Exact public private(set) var name: String
    /// Whether it was being applied, as opposed to undone.
    public let isUp: Bool
    /// The time of its start, in microseconds since 1970-01-01T00:00:00Z.
    public internal(set) var startedAt: Int64
    package var checksums: MigrationChecksums
    @Exact package var down: String?
    var segment: Int
    var cursor: Value
    /// The digest of what has run; nil in a row of an older version.
    var completed: [UInt8]?
    /// The code that authenticates the row, if it was written with field keys.
    var code: LedgerCode?

    /// The error of what can only follow its end.
    var mustEnd: LockstepError {
        LockstepError(
            .migrationUnfinished, "\(set) \(version) (\(name)) was begun but not finished",
            advice: "finish it with a migration, or \(givingUp)", context: .init(set: set, version))
    }

    /// For hints: how to end a version that cannot continue.
    var givingUp: LockstepError.Advice {
        "give the version up, which leaves what has run: \(.abandon(set: set, version: "\(version)"))"
    }

    /// Whether the completed part can be undone.
    public var isReversible: Bool { down != nil }
}

extension UnfinishedMigration {
    /// A version on a server, whose runs continue after a number of statements, and only with the file that began it.
    package init(
        set: String, version: MigrationVersion, name: String, isUp: Bool, startedAt: Int64,
        checksums: MigrationChecksums, down: String?, statements: Int
    ) {
        (self.set, self.version, self.name, self.isUp) = (set, version, name, isUp)
        (self.startedAt, self.checksums, self.down) = (startedAt, checksums, down)
        (segment, cursor) = (statements, .null)
    }

    /// On a server: how many statements have run.
    package var statements: Int { segment }
}

/// Reads and writes the progress of versions.
enum MigrationProgress {
    /// - Throws: ``LockstepError/Code/tampered`` for a row that Lockstep did not write;
    ///   ``LockstepError/Code/migrationUnfinished`` for a row that no field key of the connection has written, if it
    ///   has any.
    static func all(_ connection: borrowing Connection) throws -> [UnfinishedMigration] {
        let found = try unproven(connection)
        let codes = LedgerCodes(connection)
        for one in found { try codes.require(one) }
        return found
    }

    /// The rows as they are, which anyone with the database's key can have written.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that is impossible.
    static func unproven(_ connection: borrowing Connection) throws -> [UnfinishedMigration] {
        // One snapshot: the end of the last version drops the table.
        try connection.read { connection in try rows(connection) }
    }

    private static func rows(_ connection: borrowing Connection) throws -> [UnfinishedMigration] {
        let found = try (connection.rows(of: .progress, with: nil) ?? []).map { row in
            UnfinishedMigration(
                set: try row[0], version: try row.version(1), name: try row[2], isUp: try row[7],
                startedAt: try row[10], checksums: try row.checksums(3), down: try row[6],
                segment: try row[8], cursor: try row[9], completed: try row[11], code: try row.code(12))
        }
        guard found.allSatisfy({ $0.segment >= 0 && ($0.completed?.count ?? 32) == 32 }) else {
            throw StoredTable.progress.invalid("an invalid progress entry")
        }
        try LedgerRows.requireOneEach(found, in: .progress)
        return found
    }

    /// Records the start of a version, or its progress, in the transaction of that progress.
    static func record(
        _ progress: UnfinishedMigration, _ connection: borrowing Connection
    ) throws {
        try connection.make(.progress)
        // A changed file that goes on takes the place of the file that began.
        try delete(progress.set, progress.version, connection)
        try connection.insert(
            LedgerRows.values(progress) + [
                .integer(Int64(progress.segment)), progress.cursor, .integer(progress.startedAt),
                progress.completed.map(Value.blob) ?? .null,
            ] + LedgerRows.values(LedgerCodes(connection).code(for: progress)), into: .progress)
    }

    /// Deletes the progress of a version. The caller must have read the ledger before, and no other connection
    /// can have written since.
    static func erase(_ set: String, _ version: MigrationVersion, _ connection: borrowing Connection) throws {
        guard try EngineTables.exists(EngineTables.progress, connection, isSchemaRead: true) else {
            return
        }
        try delete(set, version, connection)
        let left: Int? = try connection.value("SELECT count(*) FROM main.lockstep_progress")
        if left == 0 { try connection.execute("DROP TABLE main.lockstep_progress") }
    }
    private static func delete(_ set: String, _ version: MigrationVersion, _ connection: borrowing Connection) throws {
        try connection.delete(from: .progress, where: [("set", .text(set)), ("version", .text(version.description))])
    }
}
