internal import SystemPackage

extension VerificationReport.Check {
    /// Migrating a copy down and up again leaves the same schema.
    public static let roundTrip = Self("round-trip") { job in
        guard job.verification.isDeep, let sets = job.verification.sets else { return nil }
        return .onCopy(RoundTripCheck(job, sets).run)
    }
}

/// Migrating down as far as possible, and up again, leaves the schema unchanged.
///
/// Runs on a copy beside the database, under a random key that is not stored. The copy is removed when the check ends.
/// It stays only if the process is killed, and then it can never be read.
struct RoundTripCheck: Sendable {
    private let path: FilePath
    private let sets: [MigrationSet]
    private let schema: ConnectionOptions
    private let coordinator: CheckCoordinator

    init(_ job: CheckJob, _ sets: [MigrationSet]) {
        path = job.verification.path
        self.sets = sets
        schema = job.verification.schema
        coordinator = job.coordinator
    }

    /// - Throws: ``LockstepError/Code/full`` if there is too little space for the copy.
    func run(_ key: borrowing DatabaseKey) throws -> CheckResult {
        try requireSpace()
        let copy = try PendingDatabase(for: path)
        let result = try run(on: copy.path, key)
        // The copy goes only after everything on it is closed.
        _ = consume copy
        return result
    }

    private func run(on copy: FilePath, _ key: borrowing DatabaseKey) throws -> CheckResult {
        let copyKey = try DatabaseKey.ephemeral()
        try copyPages(to: copy, copyKey, from: key)
        var options = schema.ofSchema
        options.fieldKeys = schema.fieldKeys
        // On the way down the last sealed column can disappear.
        if !schema.fieldKeys.isEmpty {
            options.firstTime = true
            options.mayBeUnknown = true
        }
        options.synchronous = .normal
        options.progress = ProgressHandler(every: 10_000, shouldContinue: coordinator.shouldContinue)
        let connection = try Connection.open(copy, key: copyKey, options: options)
        connection.authorizer.isReplay = true
        let before = try SchemaSnapshot(connection)
        let rowsBefore = try Self.rows(connection)
        let ledger = try Ledger.entries(connection)
        var trip = RoundTrip(sets: sets) { set, version, isUp in
            try step(isUp ? "up \(set)" : "down \(set)", version)
        }
        try trip.goDown(ledger, connection)
        let lowest = try Ledger.entries(connection)
        try trip.goUp(ledger, from: lowest, connection)
        var findings = trip.findings
        findings += try SchemaSnapshot(connection).differences(from: before).map { difference in
            var finding = DriftCheck.finding(difference)
            finding.advice = "after migrating down and up again, the \(finding.advice)"
            return finding
        }
        findings += Self.compare(rowsBefore, try Self.rows(connection))
        let versions = counted(ledger.count - lowest.count, "version")
        return ("\(versions) of \(ledger.count) down and up again, on a copy", findings)
    }

    private func step(_ step: String, _ version: MigrationVersion) throws {
        coordinator.report(JobProgress(VerificationReport.Check.roundTrip.phase, step: "\(step) \(version)"))
        guard coordinator.shouldContinue() else {
            throw LockstepError(.interrupted, "the round trip was stopped")
        }
    }

    // MARK: The copy

    /// Requires space for twice the database: its copy, and the log in which tables are rebuilt.
    private func requireSpace() throws {
        let folder = AtomicFile.parent(of: path)
        guard let free = try FileAccess.freeSpace(in: folder) else { return }
        let log = DatabaseFile.side("-wal", of: path)
        let size =
            try FileAccess.sizeOfRegularFile(path) + (FileAccess.exists(log) ? FileAccess.sizeOfRegularFile(log) : 0)
        let needed = 2 * size + 1024 * 1024
        guard free >= needed else {
            throw LockstepError(
                .full, "the copy needs about \(needed) bytes in \(folder), but only \(free) are free",
                hint: "free some space, or verify a backup elsewhere", context: .file(folder))
        }
    }

    private func copyPages(
        to copy: FilePath, _ copyKey: borrowing DatabaseKey, from key: borrowing DatabaseKey
    ) throws {
        var reading = schema.ofSchema
        reading.isQueryOnly = true
        let source = try Connection.open(path, key: key, options: reading)
        try source.read { source in
            try PageCopy.copyPages(source, to: copy, as: .copy, copyKey) { pages in
                coordinator.report(
                    JobProgress(
                        VerificationReport.Check.roundTrip.phase, step: "copying", pages.done,
                        of: pages.total, .pages, hasEnded: false))
                guard coordinator.shouldContinue() else {
                    throw LockstepError(.interrupted, "the copy was stopped")
                }
            }
        }
    }

    // MARK: Rows

    /// The number of rows in each table, except the engine's own tables and SQLite's.
    private static func rows(_ connection: borrowing Connection) throws -> [ExactText: Int] {
        let tables = try connection.query(
            """
            SELECT name FROM pragma_table_list
            WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND name NOT LIKE 'lockstep\\_%' ESCAPE '\\'
            """
        ) { row in try row[0] as String }
        var rows: [ExactText: Int] = [:]
        for table in tables {
            rows[ExactText(table)] = try connection.value("SELECT count(*) FROM main.\(name: table)")
        }
        return rows
    }

    /// A way down can drop rows that a way up does not restore. That is allowed, and worth a notice.
    private static func compare(
        _ before: [ExactText: Int], _ after: [ExactText: Int]
    ) -> [VerificationReport.Finding] {
        before.sorted { $0.key < $1.key }.compactMap { table, count in
            guard let left = after[table], left != count else { return nil }
            return .notice(
                "\(table) has \(counted(left, "row")) after migrating down and up again, but had \(count) before")
        }
    }
}
