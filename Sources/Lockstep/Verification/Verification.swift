public import SystemPackage

/// Proves that a database is encrypted, undamaged and matches its migrations. Only reads.
///
/// The checks run on all processors, several at once. Together they take about as long as the longest, which in
/// large files is SQLite's own check. They write no plaintext anywhere.
public struct Verification: Sendable {
    /// The file to verify.
    let path: FilePath
    /// The migration sets that the database can carry; nil to compare it with none.
    let sets: [MigrationSet]?

    /// The keyring's file, whose permissions are checked.
    public var keyringFile: FilePath?
    /// Options with the functions and collations that the schema needs. Their other settings are not used.
    public var schema = ConnectionOptions()
    /// Also migrates an encrypted copy down as far as possible, and up again. Needs free space of twice the
    /// database's size in its folder, and about the time of a backup and of the migrations.
    public var isDeep = false
    /// The publisher that must have signed the database's manifest, known from elsewhere. If nil, no signature
    /// is required, and an existing manifest is a notice.
    public var publisher: Publisher?
    /// The identifier of the manifest's dataset; nil for each dataset that the database names.
    public var dataset: [UInt8]?
    /// The most memory for pages, in bytes. SQLite's own check reads indexes in random order: with less than
    /// the largest index takes, it needs several times as long. The default is 256 MiB, or a quarter of a
    /// ``MemoryLimit``, of which the rest is for sorts and for the other connections.
    public var cacheBytes = min(256 * 1024 * 1024, (MemoryLimit.bytes ?? .max) / 4)

    /// The time by which the run must have ended. It then ends with ``LockstepError/Code/limitExceeded``.
    /// Checked several times per second; nil for no limit.
    public var deadline: ContinuousClock.Instant?

    /// How many cells of each column to open, spread over its rows; nil for all of them.
    public var cellSample: Int?

    /// The keys of datasets whose cells are opened. Without keys, the columns that claim to be sealed are
    /// reported.
    public var fieldKeys: [FieldKeys] {
        get { schema.fieldKeys }
        set { schema.fieldKeys = newValue }
    }

    /// A verification of the database at `path` against `sets`.
    public init(_ path: FilePath, sets: [MigrationSet]) {
        self.path = path
        self.sets = sets
    }

    /// A verification of the database at `path` without its migrations. The ledger's rows are checked; that they match
    /// the migration files, and that the schema does, is reported as not carried out.
    public init(_ path: FilePath) {
        self.path = path
        sets = nil
    }

    /// Runs every check that needs no keyring. Blocks.
    ///
    /// A check that cannot run, such as drift in a file whose pages are damaged, is a failure of that check and
    /// not of the run. If checks fail and another program wrote to the database meanwhile, they all run once more, and
    /// the second result counts: a change in between can make sound checks disagree.
    /// - Parameters:
    ///   - key: The database's key.
    ///   - progress: Called several times per second. The phases are the checks, of which several run at once; each has
    ///     the name of its ``VerificationReport/Check``.
    /// - Throws: ``LockstepError`` if there is no such database, or the key does not fit;
    ///   ``LockstepError/Code/busy`` if checks fail and the file was replaced meanwhile;
    ///   ``LockstepError/Code/limitExceeded`` after the ``deadline``; `CancellationError`; any error from `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    package func run(
        key: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> VerificationReport {
        try run(key, nil, nil, progress)
    }

    /// Runs every check, including whether the file and its keyring are of the same time and the keys fit for
    /// use. Blocks.
    ///
    /// A file under a retired key is verified too, but fails as an older copy.
    /// - Throws: The same as with a key; ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    package func run(
        keyring: borrowing Keyring, progress: JobProgress.Handler = { _ in }
    ) throws -> VerificationReport {
        let key = try keyring.keyEntry(of: path)
        let freshness = try FreshnessCheck(keyring, of: path, under: key)
        return try run(keyring.databaseKey(key), freshness, keyring.summary, progress)
    }

    private func run(
        _ key: borrowing DatabaseKey, _ freshness: FreshnessCheck?, _ keyring: KeyringSummary?,
        _ progress: JobProgress.Handler
    ) throws -> VerificationReport {
        let time = JobTime()
        let before = VerifiedState(path)
        let index = try WriteAheadLogIndex.left(beside: path)
        var reading = schema
        reading.isQueryOnly = true
        let unchanging = ReadOnlyPlace.access(path, reading) == .immutable ? UnchangingFile(path) : nil
        var report = try runOnce(key, freshness, keyring, index, progress)
        try unchanging?.require()
        if !report.isClean {
            let after = VerifiedState(path)
            guard after.file.identity == before.file.identity else {
                throw LockstepError(
                    .busy, "\(path) was replaced while it was being verified",
                    hint: "run it again when the other program has ended", context: .file(path))
            }
            // A change in between can make checks disagree. A fault of the file itself is found again.
            if after != before { report = try runOnce(key, freshness, keyring, index, progress) }
        }
        report.time = time.ended()
        return report
    }

    private func runOnce(
        _ key: borrowing DatabaseKey, _ freshness: FreshnessCheck?, _ keyring: KeyringSummary?,
        _ index: WriteAheadLogIndex?, _ progress: JobProgress.Handler
    ) throws -> VerificationReport {
        let diagnosis = try Diagnosis.examine(path, key: key)
        if let error = diagnosis.error(path), error.code != .damaged { throw error }
        let job = CheckJob(
            verification: self, freshness: freshness, keyring: keyring, index: index)
        let tasks = job.tasks
        var outcomes: [VerificationReport.Outcome] = []
        for case (let check, .beforehand(let run)) in tasks {
            outcomes.append(try .of(check) { try run(key) })
        }
        if let busy = outcomes.lazy.compactMap(\.obstacle).first(where: { $0.code == .busy }) {
            throw busy
        }
        try withoutActuallyEscaping(progress) { progress in
            let reporter = JobReporter { news in
                try requireTime()
                try progress(news)
            }
            outcomes += try SimultaneousChecks(job, tasks).run(key, reporter)
            let isSound = !outcomes.contains { $0.hasFailed && $0.check.isOfFile }
            outcomes += try runOnCopies(tasks, key, isSound: isSound, job.coordinator, reporter)
        }
        for case (let check, .afterwards(let run)) in tasks {
            outcomes.append(try .of(check, run))
        }
        var report = VerificationReport()
        report.outcomes = tasks.compactMap { task in outcomes.first { $0.check == task.check } }
        return report
    }

    private func requireTime() throws(LockstepError) {
        guard let deadline, ContinuousClock.now >= deadline else { return }
        throw LockstepError(
            .limitExceeded, "the time limit is over, and the verification was stopped",
            advice: "raise the limit: \(.verificationTimeLimit)")
    }

    private func runOnCopies(
        _ tasks: [CheckTask], _ key: borrowing DatabaseKey, isSound: Bool,
        _ coordinator: CheckCoordinator, _ reporter: JobReporter
    ) throws -> [VerificationReport.Outcome] {
        for case (let check, .onCopy(let run)) in tasks {
            let key = SharedSecret(try key.clone())
            try coordinator.start {
                try coordinator.run(check) {
                    guard isSound else {
                        throw LockstepError(.damaged, "a damaged database is not copied and migrated")
                    }
                    return try run(key.value)
                }
            }
        }
        return try coordinator.finish(reporter)
    }
}

/// The state of a database's files before a verification, to see whether a failure is that of a change in between.
///
/// The checks read the file in several transactions and beside SQLite. Next to a migration, one of them can see the
/// ledger before it and another the schema after it; next to a rotation, the keys of the old file and the pages of the
/// new one. Such failures are gone when the checks run again.
struct VerifiedState: Equatable {
    let file: FileState
    private let log: FileState

    init(_ path: FilePath) {
        file = FileState(path)
        log = FileState(DatabaseFile.side("-wal", of: path))
    }
}
