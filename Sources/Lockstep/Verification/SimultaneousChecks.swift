internal import SystemPackage

/// The checks that take time, at once: the MACs of the pages on as many threads as there are processors,
/// SQLite's own check on one more, and what else needs the database open on another.
struct SimultaneousChecks: Sendable {
    private let path: FilePath
    private let sets: [MigrationSet]
    private let schema: ConnectionOptions
    private let cacheBytes: Int
    /// Nil where there is no keyring.
    private let age: FreshnessCheck?
    private let sample: Int?
    private let manifest: ManifestCheck
    private let closing = Condition()

    init(_ verification: Verification, _ age: FreshnessCheck?) {
        self.age = age
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
            + (manifest.publisher == nil ? [] : [.manifest]) + (age == nil ? [] : [.age])
    }

    private var onThird: [VerificationReport.Check] {
        schema.fieldKeys.isEmpty ? [.registry] : [.registry, .cells]
    }

    /// When it returns or throws, nothing of it runs any more.
    func run(
        _ key: borrowing DatabaseKey, _ teller: ProgressTeller
    ) throws -> [VerificationReport.Outcome] {
        let desk = CheckCoordinator()
        let shared = SharedSecret(try key.clone())
        do {
            try start(shared, desk)
            desk.add(
                try .of(.pages) {
                    try PageCheck.run(path, shared.value) { pages in
                        try desk.relay(teller.tell)
                        try teller.tell(
                            VerificationProgress(
                                check: .pages, done: pages.done, total: pages.total))
                    }
                })
        } catch {
            desk.fail(error)
        }
        if let stop = teller.stop { desk.fail(stop) }
        return try desk.finish(teller)
    }

    /// Starts what needs the database open.
    private func start(_ key: SharedSecret<DatabaseKey>, _ desk: CheckCoordinator) throws {
        guard try !SideFilesCheck.hasJournal(path) else {
            return hinder(Self.onFirst + onSecond + onThird, desk)
        }
        try startCells(key, desk)
        // What is larger than the file would never be used.
        let size = try FileAccess.sizeOfRegularFile(path)
        let cache = max(min(cacheBytes, size), 1024 * 1024)
        try desk.start { desk in
            try onConnection(key, cache, desk, Self.onFirst) { connection in
                try desk.run(.integrity) { try IntegrityCheck.run(connection) }
            }
        }
        try desk.start { desk in
            try onConnection(key, cache / 4, desk, onSecond) { connection in
                try runSecond(connection, desk)
            }
        }
    }

    /// With connections of their own, which open only where what is said of sealed columns is authentic; cells on
    /// as many threads as there are processors.
    private func startCells(
        _ key: SharedSecret<DatabaseKey>, _ desk: CheckCoordinator
    ) throws {
        var options = schema.ofSchema
        options.isQueryOnly = true
        options.progress = ProgressHandler(every: 10_000, goOn: desk.goOn)
        options.addition =
            schema.fieldKeys.isEmpty
            ? nil
            : SealedFields(
                schema.fieldKeys, hasViews: false, relied: schema.sealed, mayBeUnsealed: true,
                mayBeUnknown: true)
        let check = CellsCheck(
            path: path, key: key, options: options, sample: sample, closing: closing)
        try desk.start { desk in
            try desk.run(.registry) { try check.checkRegistry(sets) }
            guard !schema.fieldKeys.isEmpty else { return }
            try desk.run(.cells) {
                try check.run { done, total in
                    desk.tell(VerificationProgress(check: .cells, done: done, total: total))
                }
            }
        }
    }

    private func runSecond(_ connection: borrowing Connection, _ desk: CheckCoordinator) throws {
        try desk.run(.profile) { try ProfileCheck.run(connection) }
        try desk.run(.foreignKeys) { try ForeignKeyCheck.run(connection) }
        try desk.run(.references) { try ReferencesCheck.run(connection) }
        try desk.run(.objects) { try ObjectsCheck.run(connection) }
        try desk.run(.ledger) {
            try LedgerCheck.run(connection, sets, keys: schema.fieldKeys)
        }
        try desk.run(.drift) {
            try DriftCheck.run(connection, sets, schema, goOn: desk.goOn)
        }
        if manifest.isDue(connection) {
            try desk.run(.manifest) { try manifest.run(connection) }
        }
        if let age { try desk.run(.age) { try age.run(connection) } }
    }

    /// Where the database does not open, each of the checks that need it fails for that reason.
    private func onConnection(
        _ key: SharedSecret<DatabaseKey>, _ cacheBytes: Int, _ desk: CheckCoordinator,
        _ checks: [VerificationReport.Check], _ body: (borrowing Connection) throws -> Void
    ) throws {
        var options = schema.ofSchema
        options.isQueryOnly = true
        options.cacheBytes = cacheBytes
        options.progress = ProgressHandler(every: 10_000, goOn: desk.goOn)
        let connection: Connection
        do {
            connection = try Connection.open(path, key: key.value, options: options)
        } catch let error as LockstepError {
            for check in checks { try desk.run(check) { throw error } }
            return
        }
        do { try body(connection) } catch {
            close(connection)
            throw error
        }
        close(connection)
    }

    /// Two connections that close at one instant each take the other for one that goes on, and leave the
    /// files of an empty log to whoever comes next.
    private func close(_ connection: consuming Connection) {
        var last: Connection? = connection
        closing.locked { _ = last.take() }
    }

    private func hinder(_ checks: [VerificationReport.Check], _ desk: CheckCoordinator) {
        let error = LockstepError(
            .denied, "the database is not opened while there is a rollback journal beside it")
        for check in checks {
            desk.add(
                VerificationReport.Outcome(
                    check: check, summary: "could not be carried out",
                    findings: [.failure(error.message)], duration: 0, obstacle: error))
        }
    }
}
