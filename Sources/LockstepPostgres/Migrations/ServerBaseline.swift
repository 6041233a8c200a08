public import Lockstep

/// Puts a schema that was made by other means under a migration set's control: versions are recorded as applied, and
/// none of their SQL runs.
///
/// The schema is not compared with the versions. The caller asserts that they are the same.
public struct ServerBaseline {
    private let set: MigrationSet
    /// The version of the schema.
    public let version: MigrationVersion

    /// - Parameters:
    ///   - set: The set, read for `DatabaseEngine.postgres`.
    ///   - version: The version of the schema.
    public init(_ set: MigrationSet, at version: MigrationVersion) {
        self.set = set
        self.version = version
    }

    /// A baseline at the newest version that the table of another tool records as applied, by the set's layout.
    /// - Parameters:
    ///   - set: The set, read for `DatabaseEngine.postgres`.
    ///   - connection: The database that the tool has migrated. The table stands in its current schema.
    /// - Throws: As `Baseline.init(_:asRecordedIn:)`.
    public init(_ set: MigrationSet, asRecordedIn connection: borrowing ServerConnection) throws {
        let ledger = ToolLedger(set)
        let schema = try ServerLedger(connection).schema
        let isThere: Bool? = try connection.value(
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = \(schema)::name AND tablename = \(ledger.table)::name)"
        )
        guard isThere == true else { throw ledger.missing }
        let rows = try connection.query(ServerSQL(verbatim: ledger.selection(in: SQLTokens.quote(schema)))) { row in
            try (0..<4).map { try row[$0] as String? }
        }
        self.init(set, at: try ledger.newest(rows, in: set))
    }

    /// Records all versions up to this one that have no record yet.
    /// - Returns: Their number.
    /// - Throws: `LockstepError.Code.migrationMissing` for an unknown version;
    ///   `LockstepError.Code.alreadyExists` if this version or a later one is recorded;
    ///   `LockstepError.Code.migrationUnfinished` if a version of the set was begun and not finished; the errors of a
    ///   plan, and the server's.
    @discardableResult
    public func record(on connection: borrowing ServerConnection) throws -> Int {
        try set.require(.postgres)
        _ = try set.requireBaseline(at: version)
        let ledger = try ServerLedger(connection)
        return try connection.transaction { connection in
            try ledger.lock(connection)
            var history = try ledger.history(connection, duringCopy: false)
            try Plan(set, history: history, target: .latest).requireSound()
            let covered = try set.versions(ofBaseline: version, after: history)
            try ledger.prepare(connection)
            for migration in covered {
                try ledger.record(
                    migration, of: set.name, after: history, duration: 0, connection)
                history = try ledger.history(connection)
            }
            return covered.count
        }
    }
}
