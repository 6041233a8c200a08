public import SystemPackage

/// Runs the pending migrations on an encrypted copy of the real database, to find out whether they succeed, how
/// long they take and how they change the rows.
///
/// The real file is only read, and writers continue meanwhile. The copy is made page by page under a random key that is
/// never stored: if a kill leaves the copy, it cannot be read, and the next rehearsal removes it. The copy has a hidden
/// name, is readable by its owner only, and is removed however the rehearsal ends. No key of the keyrings can be
/// destroyed meanwhile.
///
/// Costs reading the database once, the migrations themselves, counting every table once per version, and a
/// verification. Needs free space of twice the database's size, and more if migrations rewrite most of it more
/// than once.
public struct Rehearsal {
    /// The database file.
    public let database: FilePath
    /// The sets to run, in this order.
    public let sets: [MigrationSet]
    /// How far to migrate.
    public var target = Plan.Target.latest
    /// Whether a version whose file is missing may be undone as the database recorded it, which anyone with its
    /// key can have written. Works only without field keys among ``options``.
    public var recordedDown = RecordedDown.refused
    /// The folder for the copy; nil for the database's own folder. On another disk the times differ.
    public var folder: FilePath?
    /// Whether ``RehearsalReport/Step/effects``, and the error of a version that loses something, name the keys of up to
    /// five rows of each kind.
    public var namesRows = false
    /// How the copy is opened. Must include the functions and collations that the schema needs.
    public var options = ConnectionOptions()

    /// The free space on a folder's disk. Tests replace it.
    var freeSpace: (FilePath) throws -> Int? = { try FileAccess.freeSpace(in: $0) }

    /// A rehearsal of `sets` for `database`. Nothing runs yet.
    public init(of database: FilePath, sets: [MigrationSet]) {
        self.database = database
        self.sets = sets
    }

    /// Runs the rehearsal. Blocks.
    ///
    /// A version that fails is a result of the rehearsal, and is in the report.
    /// - Parameters:
    ///   - access: Opens the database.
    ///   - progress: Called with the number of copied pages, then as in a migration and a verification. Called several
    ///     times per second within statements too.
    /// - Throws: The error that prevents the rehearsal: ``LockstepError/Code/full``, the plan's fatal findings,
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged``, ``LockstepError/Code/locked`` if somebody is
    ///   destroying a key of a keyring for longer than ``FileLockWait`` allows, `CancellationError`, any error from
    ///   `progress`. No file is left.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    public func run(
        _ access: borrowing DatabaseAccess, progress: JobProgress.Handler = { _ in }
    ) throws -> RehearsalReport {
        var report = RehearsalReport()
        let access = try DeploymentKey(access, for: database)
        var rehearsal = self
        // The copy is of a moment after the keyrings were compared.
        rehearsal.options = options.ofOneJob
        try JobReporter.run(progress) { reporter in
            try access.key.whileUsed {
                try options.fieldKeys.whileUsed { try rehearsal.run(access, &report, reporter) }
            }
        }
        report.time = report.time.ended()
        return report
    }

    private func run(
        _ access: borrowing DeploymentKey, _ report: inout RehearsalReport,
        _ reporter: JobReporter
    ) throws {
        var reading = options.asking(reporter.shouldContinue)
        reading.isQueryOnly = true
        let original = try Connection.open(database, key: access.key, options: reading)
        guard try CombinedPlan.hasSteps(sets, target, recordedDown, on: original) else {
            return
        }
        let folder = folder ?? AtomicFile.parent(of: database)
        try requireSpace(original, folder)
        let copy = try RehearsalCopy(of: database, in: folder)
        let key = try DatabaseKey.ephemeral()
        let start = Clock.monotonicMicroseconds
        try PageAudit(database).namingDamage(access.key) {
            try original.read { original in
                try PageCopy.copyPages(original, to: copy.path, as: .copy, key, reporter.report)
            }
        }
        _ = consume original
        report.copyDuration = Clock.time(since: start)
        report.bytesBefore = try DatabaseFile(copy.path).size
        try migrate(copy.path, key, &report, reporter)
        try reporter.repeatLast()
        report.bytesAfter = try DatabaseFile(copy.path).size
        guard report.failure == nil else { return }
        try verify(copy.path, key, access, &report, reporter)
    }

    /// Requires space for the copy, and as much again for the log that migrations write.
    private func requireSpace(_ original: borrowing Connection, _ folder: FilePath) throws {
        let pages: Int? = try original.value("PRAGMA main.page_count")
        let bytes = (pages ?? 0) * Profile.current.pageSize
        try DiskSpace.require(
            DiskSpace.needed(forCopyOf: bytes) + bytes, for: "a rehearsal of \(database)", in: folder, freeSpace)
    }

    // MARK: Steps

    private func migrate(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ report: inout RehearsalReport, _ reporter: JobReporter
    ) throws {
        var writing = options.asking(reporter.shouldContinue)
        writing.isQueryOnly = false
        let connection = try Connection.open(path, key: key, options: writing)
        var counting = options.ofSchema
        counting.deadline = options.deadline
        let rows = try RehearsedRows(path, key, counting)
        for set in sets {
            var run = MigrationReport()
            var migrator = Migrator(set, recordedDown: recordedDown) { event in
                if case .compared(let effects) = event { rows.note(effects) }
                if case .committed = event { try rows.count() }
            }
            (migrator.reportsEffects, migrator.namesRows) = (true, namesRows)
            do {
                try migrator.run(target, on: connection, into: &run, progress: reporter.report)
            } catch let error as LockstepError {
                if let stop = reporter.stop { throw stop }
                // How far the run came says nothing of the version.
                if error.code == .limitExceeded, options.isPastDeadline || error.isOfMemory {
                    throw error
                }
                report.failure = error
            }
            report.notices += run.notices
            report.steps += zip(run.steps, rows.take()).map { step, changes in
                RehearsalReport.Step(step, changes.rows, changes.effects)
            }
            if report.failure != nil { break }
        }
        report.logBytes = try Self.logSize(path)
        // The real file reaches this size when its log is checkpointed.
        if report.failure == nil { try connection.checkpoint(.truncate) }
    }

    private func verification(of path: FilePath) -> Verification {
        var verification = Verification(path, sets: sets)
        verification.deadline = options.deadline
        return verification
    }

    private static func logSize(_ path: FilePath) throws -> Int {
        let log = DatabaseFile.side("-wal", of: path)
        return FileAccess.exists(log) ? try FileAccess.sizeOfRegularFile(log) : 0
    }

    private func verify(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ access: borrowing DeploymentKey,
        _ report: inout RehearsalReport, _ reporter: JobReporter
    ) throws {
        let after = try verification(of: path).run(key: key, progress: reporter.report)
        let key = try access.key.clone()
        let new = try VerificationChange.newFailures(after) {
            try verification(of: database).run(key: key, progress: reporter.report)
        }
        report.verification = after
        report.newFailures = new.map(\.check)
        report.notices += VerificationChange.notices(after, besides: new)
    }
}

/// Counts the rows of the copy after each version, on a separate connection that sees committed changes.
private final class RehearsedRows {
    private let connection: Connection
    private var last: TableRowCounts
    private var changes: [(rows: [RehearsalReport.RowChange], effects: [TableEffects])] = []
    private var effects: [TableEffects] = []

    init(_ path: FilePath, _ key: borrowing DatabaseKey, _ options: ConnectionOptions) throws {
        var reading = options
        reading.isQueryOnly = true
        connection = try Connection.open(path, key: key, options: reading)
        last = try TableRowCounts(connection)
    }

    /// Notes what a transaction of the next version has done.
    func note(_ effects: [TableEffects]) { self.effects += effects }

    func count() throws {
        let now = try TableRowCounts(connection)
        changes.append((now.changes(since: last), TableEffects.merged(effects)))
        (last, effects) = (now, [])
    }

    /// The counts since the last call, version by version.
    func take() -> [(rows: [RehearsalReport.RowChange], effects: [TableEffects])] {
        defer { (changes, effects) = ([], []) }
        return changes
    }
}
