internal import Lockstep

/// The ledger on a server: the table `lockstep_migration` with the columns that LedgerEntry.swift describes, in one
/// schema.
///
/// Anyone who can write it, as the server's operator can, can write any row: each is held to the form that Lockstep
/// writes, and is compared with its file.
struct ServerLedger {
    static let table = "lockstep_migration"

    /// The schema of the ledger and of the tables that migrations name without a schema.
    let schema: String

    private var place: ServerEngineTable {
        ServerEngineTable(schema: schema, table: Self.table)
    }
    private var name: String { place.name }

    /// The versions that are applied statement by statement, and not finished.
    var progress: ServerProgressTable { ServerProgressTable(schema: schema) }
    /// The repeatable migrations that ran.
    var repeatables: ServerRepeatables { ServerRepeatables(schema: schema) }

    /// The ledger in the first schema of the connection's search path.
    /// - Throws: `LockstepError.Code.notFound` if that does not exist.
    init(_ connection: borrowing ServerConnection) throws {
        let schema: String? = try connection.value("SELECT pg_catalog.current_schema()::text")
        guard let schema else {
            throw LockstepError(
                .notFound, "\(connection.address): the schema to migrate does not exist",
                hint: "create it with CREATE SCHEMA, or name another one")
        }
        self.schema = schema
    }

    /// Waits for its turn, as one of the runners on this schema, until the transaction ends.
    func lock(_ connection: borrowing ServerConnection) throws {
        try connection.execute(
            "SELECT pg_catalog.pg_advisory_xact_lock(\(Self.lockClass)::int4, pg_catalog.hashtext(\(schema)))")
    }

    /// ASCII for `lock`.
    private static let lockClass = 0x6C6F_636B

    /// Everything that the server records about migrations.
    /// - Parameter duringCopy: Whether a copy to the schema may be under way.
    /// - Throws: `LockstepError.Code.tampered` for a row that Lockstep did not write; `LockstepError.Code.misuse` for a
    ///   copy that may not be under way.
    func history(
        _ connection: borrowing ServerConnection, duringCopy: Bool = true
    ) throws -> MigrationHistory {
        let kinds = try EngineTable.kinds(in: schema, connection)
        guard duringCopy || kinds[CopyState.table] == nil else {
            throw CopyState.unfinished(schema, connection.address)
        }
        let entries = try place.rows(
            """
            position, "set", version, name, checksum_bytes, checksum_text, checksum_tokens, down, applied_at, duration,
            tool_version
            """, order: "position", connection, kinds
        ) { row in
            LedgerEntry(
                set: try row[1], version: try place.version(row[2]), name: try row[3],
                checksums: try place.checksums(row, from: 4), down: try row[7], appliedAt: try row[8],
                duration: try row[9], toolVersion: try row[10], position: try row[0])
        }
        try requirePossible(entries)
        return MigrationHistory(
            entries: entries, unfinished: try progress.all(connection, kinds).map(\.unfinished),
            repeated: try repeatables.all(connection, kinds))
    }

    private func requirePossible(_ entries: [LedgerEntry]) throws(LockstepError) {
        guard entries.allSatisfy({ $0.position > 0 && $0.duration >= 0 }) else {
            throw place.impossible("position or duration")
        }
        let versions = Set(entries.map { "\($0.set) \($0.version)" })
        guard versions.count == entries.count,
            Set(entries.map(\.position)).count == entries.count
        else { throw place.impossible("second row of a version") }
    }

    // MARK: Writing

    /// Makes the table if it does not exist.
    func prepare(_ connection: borrowing ServerConnection) throws {
        guard try !place.exists(connection) else { return }
        try connection.execute(
            """
            CREATE TABLE \(verbatim: name) (
                position bigint PRIMARY KEY,
                "set" text COLLATE "C" NOT NULL,
                version text COLLATE "C" NOT NULL,
                name text NOT NULL,
                checksum_bytes bytea NOT NULL,
                checksum_text bytea NOT NULL,
                checksum_tokens bytea NOT NULL,
                down text,
                applied_at bigint NOT NULL,
                duration bigint NOT NULL,
                tool_version text NOT NULL,
                mac_dataset bytea,
                mac_key_version bigint,
                mac bytea,
                UNIQUE ("set", version)
            )
            """)
    }

    /// Records a version as applied, in the open transaction.
    /// - Parameters:
    ///   - history: What the ledger has, read under the lock.
    ///   - duration: In microseconds.
    func record(
        _ migration: Migration, of set: String, after history: MigrationHistory,
        duration: Int64,
        _ connection: borrowing ServerConnection
    ) throws {
        let (position, overflow) = (history.entries.map(\.position).max() ?? 0).addingReportingOverflow(1)
        guard !overflow else { throw place.impossible("position") }
        let sums = migration.checksums
        try connection.execute(
            """
            INSERT INTO \(verbatim: name) (position, "set", version, name, checksum_bytes, checksum_text,
                checksum_tokens, down, applied_at, duration, tool_version)
            VALUES (\(position), \(set), \(migration.version.description), \(migration.name), \(sums.bytes),
                \(sums.text), \(sums.tokens), \(migration.recordedDown), \(Clock.microsecondsSinceEpoch),
                \(duration), \(LockstepVersion.current))
            """)
    }

    /// Removes the record of a version, in the open transaction.
    func erase(_ entry: LedgerEntry, _ connection: borrowing ServerConnection) throws {
        let count = try connection.execute(
            """
            DELETE FROM \(verbatim: name)
            WHERE position OPERATOR(pg_catalog.=) \(entry.position)::int8
            """)
        guard count == 1 else { throw place.impossible("row of \(entry.set) \(entry.version)") }
    }
}
