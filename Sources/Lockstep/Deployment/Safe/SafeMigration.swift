public import SystemPackage

/// Migrates a database with a way back: if anything fails, the file is restored to what it was before.
///
/// In this order:
///
/// 1. Lock files beside the database, `.<name>.custody` and `.<name>.safe-migration-lock`, keep out other safe
///    migrations and other jobs that replace the file. They are not removed. Locks beside the keyrings keep their keys
///    from being destroyed.
/// 2. The work of a killed run is finished or continued; see below.
/// 3. A verified, encrypted backup is made: `<name>.<UTC time>-<number>.before-migration`.
/// 4. The versions run, each in a separate transaction, as with ``Migrator``.
/// 5. Every check of ``Verification`` runs, and the program's own, if there is one. A check that failed before
///    the run as well is reported, and does not count.
/// 6. If anything failed after a commit, or the run was cancelled, the backup's content is restored in one
///    transaction, which other connections see like any other. If nothing was committed, there is nothing to
///    restore.
///
/// Others can use the database meanwhile. If they have committed anything since the backup, the database is not
/// restored, since that would lose their writes: the error says where the backup is.
///
/// A run that is killed at any moment leaves a database whose ledger and schema agree, and a journal,
/// `<name>.safe-migration`, which shows the next run what was in progress. The next run continues with the
/// remaining versions, after another backup; or verifies; or finishes the restore, unless others have
/// written since. The backup from before the first killed run is kept until a run succeeds.
///
/// Costs making and verifying a backup, a verification, and reading the file once more. Needs free space for
/// the backup, as much again for a restore, and the space that the migrations need.
public struct SafeMigration {
    /// The database file.
    public let database: FilePath
    /// The sets to run, in this order.
    public let sets: [MigrationSet]
    /// How far to migrate.
    public var target = Plan.Target.latest
    /// Whether a version whose file is missing may be undone as the database recorded it, which anyone with its
    /// key can have written. Works only without field keys among ``options``.
    public var recordedDown = RecordedDown.refused
    /// The folder for backups; nil for the database's own folder.
    public var backupFolder: FilePath?
    /// How many backups to keep after a success, including this run's; the oldest are removed. With 0 none is
    /// kept. While a run is in progress there is one more, and after killed runs also that of the first of
    /// them.
    public var keep = 3
    /// How long to wait for another safe migration, and for the holder of the write lock.
    public var timeout = Duration.seconds(60)
    /// How the database is opened. Must include the functions and collations that the schema needs; commits are
    /// always durable.
    public var options = ConnectionOptions()
    /// The program's own check of the migrated database, which it can only read. If it throws, the database is
    /// restored.
    public var check: (borrowing Connection) throws -> Void = { _ in }

    /// The free space on a folder's disk. Tests replace it.
    var freeSpace: (FilePath) throws -> Int? = { try FileAccess.freeSpace(in: $0) }
    /// Of the run.
    private(set) var reporter = JobReporter { _ in }

    /// A safe migration of `database` by `sets`. Nothing runs yet.
    public init(of database: FilePath, sets: [MigrationSet]) {
        self.database = database
        self.sets = sets
    }

    /// Whether a safe migration of `database` is in progress, or was killed. The next one continues from there.
    public static func isUnfinished(_ database: FilePath) -> Bool {
        FileAccess.exists(SafeJournal.path(of: database))
    }

    /// Runs the migration. Blocks.
    /// - Parameters:
    ///   - access: Opens the database.
    ///   - progress: Called while it waits for another safe migration, for the copied pages of the backup, then as in a
    ///     migration and a verification, several times per second within statements too. An error that it throws ends
    ///     the run like any other failure, except while the database is restored: that cannot be stopped.
    /// - Throws: The original failure, after the database was restored; ``LockstepError/Code/verificationFailed`` for a
    ///   check; ``LockstepError/Code/notRestored`` if the database is not restored, with instructions;
    ///   ``LockstepError/Code/locked`` if another safe migration runs, or a key of the keyrings is being destroyed, for
    ///   longer than ``timeout``; ``LockstepError/Code/misuse`` if ``keep`` is negative or the path contains a line
    ///   feed; `CancellationError`; any error from `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        _ access: borrowing DatabaseAccess, progress: JobProgress.Handler = { _ in }
    ) throws -> SafeMigrationReport {
        var report = SafeMigrationReport()
        try run(access, into: &report, progress: progress)
        return report
    }

    /// The same, with a report that also shows how a failed run ended.
    /// - Throws: The errors of ``run(_:progress:)``.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`") public func run(
        _ access: borrowing DatabaseAccess, into report: inout SafeMigrationReport,
        progress: JobProgress.Handler = { _ in }
    ) throws {
        defer { report.time = report.time.ended() }
        try JobReporter.run(progress) { reporter in
            var migration = self
            migration.reporter = reporter
            migration.options = options.ofOneJob
            try migration.run(access, &report)
        }
    }

    private func run(
        _ access: borrowing DatabaseAccess, _ report: inout SafeMigrationReport
    ) throws {
        guard keep >= 0, !database.string.utf8.contains(UInt8(ascii: "\n")) else {
            throw LockstepError(
                .misuse, "the number of backups is negative, or the path contains a line feed",
                hint: "keep 0 or more backups, and name the database in one line")
        }
        try Diagnosis.requireDatabase(database)
        let access = try DeploymentKey(access, for: database)
        let reporter = reporter
        let wait = FileLockWait(
            timeout: timeout, report: FileLockWait.current.report,
            shouldContinue: { try reporter.report(JobProgress(.waiting)) })
        try wait.run {
            try access.key.whileUsed {
                try options.fieldKeys.whileUsed { try runLocked(access, wait, &report) }
            }
        }
    }

    private func runLocked(
        _ access: borrowing DeploymentKey, _ wait: FileLockWait,
        _ report: inout SafeMigrationReport
    ) throws {
        let lock = try CustodyLock(database, wait)
        // Programs of before 2026-11 know no other.
        let earlier = try FileLock.wait(lockPath, as: .custody, timeout: timeout) { _ in
            try reporter.report(JobProgress(.waiting))
        }
        defer {
            _ = lock
            _ = earlier
        }
        let backups = try MigrationBackups(
            of: database, in: backupFolder, keys: access.known)
        let connection = try open(access.key)
        let unfinished = try recover(connection, access, backups, &report)
        if try CombinedPlan.hasSteps(sets, target, recordedDown, on: connection) {
            try migrate(connection, access, backups, unfinished, &report)
        } else if let unfinished {
            try verify(unfinished, connection, access, backups, &report)
        } else {
            report.outcome = .nothingToDo
        }
    }

    private var lockPath: FilePath {
        let name = database.lastComponent?.string ?? ""
        return database.removingLastComponent().appending(".\(name).safe-migration-lock")
    }

    private func open(_ key: borrowing DatabaseKey) throws -> Connection {
        var writing = options.asking(reporter.shouldContinue)
        writing.isQueryOnly = false
        writing.synchronous = .full
        return try Connection.open(database, key: key, options: writing)
    }
}

extension JobProgress.Phase {
    /// Something has failed, and the database gets its earlier content again.
    public static let restoring = Self("restoring")
}
