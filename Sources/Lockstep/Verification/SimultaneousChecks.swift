internal import SystemPackage

/// Runs the checks that take time at once: the MACs of the pages on as many threads as there are processors,
/// SQLite's own check on one more, and the other checks that need the database open on another.
struct SimultaneousChecks: Sendable {
    private let path: FilePath
    private let sets: [MigrationSet]
    private let schema: ConnectionOptions
    private let cacheBytes: Int
    /// Nil if there is no keyring.
    private let freshness: FreshnessCheck?
    private let sample: Int?
    private let manifest: ManifestCheck
    private let closing = Condition()

    init(_ verification: Verification, _ freshness: FreshnessCheck?) {
        self.freshness = freshness
        manifest = ManifestCheck(
            publisher: verification.publisher, dataset: verification.dataset)
        path = verification.path
        sets = verification.sets
        schema = verification.schema
        cacheBytes = verification.cacheBytes
        sample = verification.cellSample
    }

    private static let onFirst: [VerificationReport.Check] = [.integrity]
    private var onSecond: [VerificationReport.Check] {
        [.profile, .foreignKeys, .references, .objects, .ledger, .drift]
            + (manifest.publisher == nil ? [] : [.manifest])
            + (freshness == nil ? [] : [.freshness])
    }

    private var onThird: [VerificationReport.Check] {
        schema.fieldKeys.isEmpty ? [.registry] : [.registry, .cells]
    }

    /// No check runs any more when this returns or throws.
    func run(
        _ key: borrowing DatabaseKey, _ reporter: JobReporter
    ) throws -> [VerificationReport.Outcome] {
        let coordinator = CheckCoordinator()
        let shared = SharedSecret(try key.clone())
        do {
            try start(shared, coordinator)
            coordinator.add(
                try .of(.pages) {
                    try PageCheck.run(path, shared.value) { pages in
                        try coordinator.relay(reporter.report)
                        try reporter.report(
                            JobProgress(
                                VerificationReport.Check.pages.phase, pages.done, of: pages.total,
                                .pages, hasEnded: false))
                    }
                })
        } catch {
            coordinator.fail(error)
        }
        if let stop = reporter.stop { coordinator.fail(stop) }
        return try coordinator.finish(reporter)
    }

    /// Starts the checks that need the database open.
    private func start(_ key: SharedSecret<DatabaseKey>, _ coordinator: CheckCoordinator) throws {
        guard try !SideFilesCheck.hasJournal(path) else {
            return hinder(Self.onFirst + onSecond + onThird, coordinator)
        }
        try startCells(key, coordinator)
        // A cache larger than the file would never be filled.
        let size = try FileAccess.sizeOfRegularFile(path)
        let cache = max(min(cacheBytes, size), 1024 * 1024)
        try coordinator.start { coordinator in
            try onConnection(key, cache, coordinator, Self.onFirst) { connection in
                try coordinator.run(.integrity) { try IntegrityCheck.run(connection) }
            }
        }
        try coordinator.start { coordinator in
            try onConnection(key, cache / 4, coordinator, onSecond) { connection in
                try runSecond(connection, coordinator)
            }
        }
    }

    /// Uses connections of its own, which open only if the registry of sealed columns is authentic. Cells are
    /// checked on as many threads as there are processors.
    private func startCells(
        _ key: SharedSecret<DatabaseKey>, _ coordinator: CheckCoordinator
    ) throws {
        var options = schema.ofSchema
        options.isQueryOnly = true
        options.progress = ProgressHandler(
            every: 10_000, shouldContinue: coordinator.shouldContinue)
        options.addition =
            schema.fieldKeys.isEmpty
            ? nil
            : SealedFields(
                schema.fieldKeys, hasViews: false, relied: schema.sealed, mayBeUnsealed: true,
                mayBeUnknown: true)
        let check = CellsCheck(
            path: path, key: key, options: options, sample: sample, closing: closing)
        try coordinator.start { coordinator in
            try coordinator.run(.registry) { try check.checkRegistry(sets) }
            guard !schema.fieldKeys.isEmpty else { return }
            try coordinator.run(.cells) {
                try check.run { done, total in
                    coordinator.report(
                        JobProgress(
                            VerificationReport.Check.cells.phase, done, of: total, .steps,
                            hasEnded: false))
                }
            }
        }
    }

    private func runSecond(_ connection: borrowing Connection, _ coordinator: CheckCoordinator)
        throws
    {
        try coordinator.run(.profile) { try ProfileCheck.run(connection) }
        try coordinator.run(.foreignKeys) { try ForeignKeyCheck.run(connection) }
        try coordinator.run(.references) { try ReferencesCheck.run(connection) }
        try coordinator.run(.objects) { try ObjectsCheck.run(connection) }
        try coordinator.run(.ledger) {
            try LedgerCheck.run(connection, sets, keys: schema.fieldKeys)
        }
        try coordinator.run(.drift) {
            try DriftCheck.run(connection, sets, schema, shouldContinue: coordinator.shouldContinue)
        }
        if manifest.isDue(connection) {
            try coordinator.run(.manifest) { try manifest.run(connection) }
        }
        if let freshness { try coordinator.run(.freshness) { try freshness.run(connection) } }
    }

    /// If the database does not open, each of the checks that need it fails for that reason.
    private func onConnection(
        _ key: SharedSecret<DatabaseKey>, _ cacheBytes: Int, _ coordinator: CheckCoordinator,
        _ checks: [VerificationReport.Check], _ body: (borrowing Connection) throws -> Void
    ) throws {
        var options = schema.ofSchema
        options.isQueryOnly = true
        options.cacheBytes = cacheBytes
        options.progress = ProgressHandler(
            every: 10_000, shouldContinue: coordinator.shouldContinue)
        let connection: Connection
        do {
            connection = try Connection.open(path, key: key.value, options: options)
        } catch let error as LockstepError {
            for check in checks { try coordinator.run(check) { throw error } }
            return
        }
        do { try body(connection) } catch {
            close(connection)
            throw error
        }
        close(connection)
    }

    /// Two connections that close at the same instant each take the other for one that stays open, and leave
    /// the files of an empty log.
    private func close(_ connection: consuming Connection) {
        var last: Connection? = connection
        closing.locked { _ = last.take() }
    }

    private func hinder(_ checks: [VerificationReport.Check], _ coordinator: CheckCoordinator) {
        let error = LockstepError(
            .denied, "the database is not opened while there is a rollback journal beside it")
        for check in checks {
            coordinator.add(
                VerificationReport.Outcome(
                    check: check, summary: "could not be carried out",
                    findings: [.failure(error.message)], duration: .zero, obstacle: error))
        }
    }
}
