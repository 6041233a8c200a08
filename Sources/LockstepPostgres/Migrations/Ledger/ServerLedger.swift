internal import Lockstep

/// The ledger on a server: the table `lockstep_migration` with the columns that LedgerEntry.swift describes, in one
/// schema.
///
/// Anyone who can write it, as the server's operator can, can write any row: each is held to the form that Lockstep
/// writes, and is compared with its file.
struct ServerLedger {
    /// The schema of the ledger and of the tables that migrations name without a schema.
    let schema: String

    /// The versions that are applied statement by statement, and not finished.
    var progress: ServerProgressTable { ServerProgressTable(schema: schema) }

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
        let store = ServerTables(schema, connection, kinds)
        let history = MigrationHistory(
            entries: try LedgerRows.read(store),
            unfinished: try ServerProgressTable.all(store).map(\.unfinished),
            repeated: try LedgerRows.repeated(store))
        try history.requireConsistent()
        return history
    }

    // MARK: Writing

    /// Makes the table if it does not exist.
    func prepare(_ connection: borrowing ServerConnection) throws {
        try ServerTables(schema, connection).make(.ledger)
    }

    /// Records a version as applied, in the open transaction.
    /// - Parameters:
    ///   - history: What the ledger has, read under the lock.
    ///   - duration: In microseconds.
    func record(
        _ migration: Migration, of set: String, after history: MigrationHistory, duration: Int64,
        _ connection: borrowing ServerConnection
    ) throws {
        try LedgerRows.record(
            migration, of: set, after: history.entries.map(\.position).max() ?? 0, duration: duration, LedgerCodes([]),
            ServerTables(schema, connection))
    }

    /// Removes the record of a version, in the open transaction.
    func erase(_ entry: LedgerEntry, _ connection: borrowing ServerConnection) throws {
        let store = ServerTables(schema, connection)
        guard try store.delete(from: .ledger, where: [("position", .integer(entry.position))]) == 1 else {
            throw StoredTable.ledger.invalid("an invalid row of \(entry.set) \(entry.version)")
        }
    }

    /// Notes a run of a repeatable migration, in the open transaction.
    /// - Parameter duration: In microseconds.
    func note(
        _ file: MigrationFile, of set: String, duration: Int64, _ connection: borrowing ServerConnection
    ) throws {
        try LedgerRows.note(file, of: set, duration: duration, ServerTables(schema, connection))
    }
}
