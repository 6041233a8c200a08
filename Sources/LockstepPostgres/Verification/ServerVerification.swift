public import Lockstep

/// Proves that a database on a server is what it should be: its ledger, its schema, what is sealed in it and what is
/// not.
///
/// It changes nothing: the schema of a fresh run is made in a transaction that is rolled back. What is sealed is proven
/// with field keys alone; without keys only the form of the server's registry is checked.
public struct ServerVerification: Sendable {
    /// The sets whose migrations the database has, read for `DatabaseEngine.postgres`; nil to leave out what needs
    /// them.
    public var sets: [MigrationSet]?
    /// The publisher that must have signed the manifest; nil if none is known.
    public var publisher: Publisher?
    /// How many rows of each table with sealed columns are opened; nil for all.
    public var cellSample: Int?

    /// A verification with these sets. Nothing runs yet.
    public init(sets: [MigrationSet]? = nil) { self.sets = sets }

    /// Runs all checks on a connection outside a transaction, each on a snapshot of its own. Blocks.
    /// - Parameters:
    ///   - connection: A connection, with the keys of the datasets whose cells are opened.
    ///   - progress: Called before each check, and several times while cells are opened.
    /// - Throws: `LockstepError.Code.misuse` inside a transaction and for sets of another engine;
    ///   `LockstepError.Code.serverUnreachable`; any error from `progress`. Everything else that is wrong is a finding
    ///   in the report.
    public func run(
        on connection: borrowing ServerConnection, progress: JobProgress.Handler = { _ in }
    ) throws -> VerificationReport {
        for set in sets ?? [] { try set.require(.postgres) }
        guard !connection.isInTransaction else {
            throw LockstepError(
                .misuse, "a verification cannot run inside a transaction", hint: "commit or roll back first")
        }
        let schema = try ServerLedger(connection).schema
        var report = VerificationReport()
        for check in VerificationReport.Check.ofServers {
            try JobProgress(check.phase).report(to: progress)
            let outcome = try VerificationReport.Outcome.of(check) {
                try connection.snapshot { connection in
                    try run(check, schema, connection, progress)
                }
            }
            if let obstacle = outcome.obstacle, obstacle.code == .serverUnreachable {
                throw obstacle
            }
            report.outcomes.append(outcome)
        }
        report.time = report.time.ended()
        return report
    }

    private func run(
        _ check: VerificationReport.Check, _ schema: String,
        _ connection: borrowing ServerConnection, _ progress: JobProgress.Handler
    ) throws -> CheckResult {
        switch check {
        case .server: try ServerSettingsCheck.run(connection)
        case .ledger: try LedgerCheck.compare(ServerLedger(connection).history(connection), sets)
        case .drift: try ServerDriftCheck.run(sets, schema, connection)
        case .constraints: try ConstraintsCheck.run(schema, connection)
        case .registry: try ServerRegistryCheck.run(sets ?? [], schema, connection)
        case .shape: try ShapeCheck.run(schema, connection)
        case .cells: try ServerCellsCheck(sample: cellSample).run(connection, progress)
        case .exposure: try ExposureCheck.run(sets, schema, connection)
        case .orphans: try OrphansCheck.run(schema, connection)
        case .manifest: try ServerManifestCheck.run(publisher, schema, connection, progress)
        default: throw NotAsked(reason: "no check of servers")
        }
    }
}

extension ServerConnection {
    /// Runs `body` on one snapshot, in a transaction that changes nothing: it is rolled back.
    func snapshot<Output>(_ body: (borrowing ServerConnection) throws -> Output) throws
        -> Output
    {
        try session.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        defer { session.rollBack() }
        try refuseHiddenRows()
        return try body(self)
    }

    /// For the rest of the transaction, a statement from which a policy hides rows is an error: otherwise what reads a
    /// table as a whole would take a part for the whole.
    func refuseHiddenRows() throws { try session.run("SET LOCAL row_security = off") }
}
