internal import SystemPackage

/// Runs the checks that take time at once: the MACs of the pages on as many threads as there are processors,
/// SQLite's own check on one more, and the other checks that need the database open on others.
struct SimultaneousChecks: Sendable {
    private typealias ConnectionTask = (check: VerificationReport.Check, work: VerificationReport.Check.OnConnection)
    private typealias SealedTask = (check: VerificationReport.Check, run: @Sendable (CellsCheck) throws -> CheckResult)

    private let path: FilePath
    private let schema: ConnectionOptions
    private let cacheBytes: Int
    private let sample: Int?
    private let coordinator: CheckCoordinator
    private let tasks: [CheckTask]
    private let closing = WaitCondition()

    init(_ job: CheckJob, _ tasks: [CheckTask]) {
        path = job.verification.path
        schema = job.verification.schema
        cacheBytes = job.verification.cacheBytes
        sample = job.verification.cellSample
        coordinator = job.coordinator
        self.tasks = tasks
    }

    /// The checks of each connection without field keys: one alone, or all others.
    private var connectionTasks: [[ConnectionTask]] {
        let all = tasks.compactMap { task -> ConnectionTask? in
            guard case .onConnection(let work) = task.work else { return nil }
            return (task.check, work)
        }
        return all.filter(\.work.isAlone).map { [$0] } + [all.filter { !$0.work.isAlone }]
    }

    private var sealedTasks: [SealedTask] {
        tasks.compactMap { task in
            guard case .onSealedColumns(let run) = task.work else { return nil }
            return (task.check, run)
        }
    }

    /// No check runs any more when this returns or throws.
    func run(
        _ key: borrowing DatabaseKey, _ reporter: JobReporter
    ) throws -> [VerificationReport.Outcome] {
        do {
            try start(SharedSecret(try key.clone()))
            for case (let check, .meanwhile(let run)) in tasks {
                coordinator.add(
                    try .of(check) {
                        try run(key) { pages in
                            try coordinator.relay(reporter.report)
                            try reporter.report(
                                JobProgress(check.phase, pages.done, of: pages.total, .pages, hasEnded: false))
                        }
                    })
            }
        } catch {
            coordinator.fail(error)
        }
        if let stop = reporter.stop { coordinator.fail(stop) }
        return try coordinator.finish(reporter)
    }

    /// Starts the checks that need the database open.
    private func start(_ key: SharedSecret<DatabaseKey>) throws {
        guard try !SideFilesCheck.hasJournal(path, key.value) else { return try hinder() }
        try startSealed(key)
        // A cache larger than the file would never be filled.
        let size = try FileAccess.sizeOfRegularFile(path)
        let cache = max(min(cacheBytes, size), 1024 * 1024)
        for tasks in connectionTasks {
            try coordinator.start {
                try run(tasks, key, tasks.contains(where: \.work.isAlone) ? cache : cache / 4)
            }
        }
    }

    /// Uses separate connections, which open only if the registry of sealed columns is authentic. Cells are
    /// checked on as many threads as there are processors.
    private func startSealed(_ key: SharedSecret<DatabaseKey>) throws {
        var options = schema.ofSchema
        options.isQueryOnly = true
        options.access = schema.access
        // The damage of a log is a finding of the check of the pages.
        options.looksAtLog = false
        options.progress = ProgressHandler(every: 10_000, shouldContinue: coordinator.shouldContinue)
        options.addition =
            schema.fieldKeys.isEmpty
            ? nil
            : SealedFields(
                schema.fieldKeys, hasViews: false, relied: schema.sealed, firstTime: true, mayBeUnknown: true)
        let cells = CellsCheck(path: path, key: key, options: options, sample: sample, closing: closing)
        try coordinator.start {
            for (check, run) in sealedTasks {
                try coordinator.run(check) { try run(cells) }
            }
        }
    }

    /// Runs checks on one connection. If the database does not open, each of them fails for that reason.
    private func run(
        _ tasks: [ConnectionTask], _ key: SharedSecret<DatabaseKey>, _ cacheBytes: Int
    ) throws {
        var options = schema.ofSchema
        options.isQueryOnly = true
        options.access = schema.access
        // The damage of a log is a finding of the check of the pages.
        options.looksAtLog = false
        options.cacheBytes = cacheBytes
        options.progress = ProgressHandler(every: 10_000, shouldContinue: coordinator.shouldContinue)
        var connection: Connection?
        do {
            connection = try Connection.open(path, key: key.value, options: options)
        } catch let error as LockstepError {
            for (check, work) in tasks where work.isFound == nil {
                try coordinator.run(check) { throw error }
            }
        }
        guard let connection = connection.take() else { return }
        let result = Result { try runAll(tasks, connection) }
        close(connection)
        try result.get()
    }

    private func runAll(_ tasks: [ConnectionTask], _ connection: borrowing Connection) throws {
        for (check, work) in tasks {
            if let isFound = work.isFound, !isFound(connection) { continue }
            try coordinator.run(check) { try work.run(connection) }
        }
    }

    /// Two connections that close at the same instant each take the other for one that stays open, and leave
    /// the files of an empty log.
    private func close(_ connection: consuming Connection) {
        var last: Connection? = connection
        closing.locked { _ = last.take() }
    }

    /// Fails every check that needs the database open.
    private func hinder() throws {
        let error = LockstepError(.denied, "the database is not opened while there is a rollback journal beside it")
        let checks = connectionTasks.joined().filter { $0.work.isFound == nil }.map(\.check) + sealedTasks.map(\.check)
        for check in checks {
            coordinator.add(try .of(check) { throw error })
        }
    }
}
