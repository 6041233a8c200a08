public import SystemPackage

/// Migrates a database with a way back: if anything fails, the file is what it was before.
///
/// In this order:
///
/// 1. A lock file beside the database, `.<name>.safe-migration-lock`, keeps other safe migrations out; it stays.
/// 2. What a run that was killed has left is finished or gone on from; see below.
/// 3. A verified, encrypted backup is made: `<name>.<UTC time>-<number>.before-migration`.
/// 4. The versions are run, each in a transaction of its own, as by ``Migrator``.
/// 5. Every check of ``Verification`` is made, and the program's own, if there is one. What failed before the
///    run as well is told, and does not count.
/// 6. If anything failed after a commit, or the run was cancelled, the backup's content is put back, in one
///    transaction, which others who have the database open see as any other. If nothing was committed, there
///    is nothing to put back.
///
/// Others may use the database meanwhile. If they have committed anything since the backup, it is not put
/// back, since that would lose what they wrote: the error says where the backup stands.
///
/// Killed at any moment, it leaves a database whose ledger and schema agree, and a journal,
/// `<name>.safe-migration`, from which the next run learns what was under way. It goes on with the versions
/// that are left, after a backup of its own; or verifies; or finishes putting back, unless others have written
/// since. The backup from before the first run that was killed stays until one gets through.
///
/// Costs making and verifying a backup, a verification, and reading the file once more; in free space the
/// backup, as much again for putting back, and what the migrations need.
public struct SafeMigration {
    /// The database file.
    public let database: FilePath
    /// The sets to run, in this order.
    public let sets: [MigrationSet]
    /// How far to go.
    public var target = Plan.Target.latest
    /// Whether a version whose file is gone may be undone as the database recorded it, which anyone with its key can
    /// have written. Only without field keys among ``options``.
    public var recordedDown = RecordedDown.refused
    /// Where backups are made; nil for the database's own folder.
    public var backupFolder: FilePath?
    /// How many backups stay after a success, this run's included: the oldest go. With 0 none stays. While a
    /// run is under way there is one more, and after runs that were killed that of the first of them.
    public var keep = 3
    /// How long to wait for another safe migration, and for whoever holds the write lock.
    public var timeout = Duration.seconds(60)
    /// How the database is opened. Functions and collations that the schema needs must be among it;
    /// commits are always durable.
    public var options = ConnectionOptions()
    /// Asked again and again, within statements too; false ends the run, and the database is what it was.
    public var goOn: @Sendable () -> Bool = { !Task.isCancelled }
    /// Is told what happens; what it throws ends the run as any other failure does.
    public var observe: (SafeMigrationEvent) throws -> Void = { _ in }
    /// The program's own check of the migrated database, which it may only read. What it throws has the
    /// database put back.
    public var check: (borrowing Connection) throws -> Void = { _ in }

    /// How much space the disk of a folder has; tests have their own disks.
    var freeSpace: (FilePath) throws -> Int? = { try FileAccess.freeSpace(in: $0) }

    /// A safe migration of `database` by `sets`. Nothing is done yet.
    public init(of database: FilePath, sets: [MigrationSet]) {
        self.database = database
        self.sets = sets
    }

    /// Whether a safe migration of `database` is under way, or was killed: the next one goes on from there.
    public static func isUnfinished(_ database: FilePath) -> Bool {
        FileAccess.exists(SafeJournal.path(of: database))
    }

    /// Runs it. Blocks.
    /// - Throws: What failed, after the database was put back; ``LockstepError/Code/verificationFailed`` for a
    ///   check; ``LockstepError/Code/notRestored`` if it is not what it was, with what to do;
    ///   ``LockstepError/Code/locked`` if another safe migration runs for longer than ``timeout``;
    ///   ``LockstepError/Code/interrupted`` if ``goOn`` says so.
    @discardableResult
    public func run(_ access: borrowing DatabaseAccess) throws -> SafeMigrationReport {
        var report = SafeMigrationReport()
        try run(access, into: &report)
        return report
    }

    /// The same, with a report that also tells how a run ended that failed.
    public func run(
        _ access: borrowing DatabaseAccess, into report: inout SafeMigrationReport
    ) throws {
        guard keep >= 0, !database.string.contains("\n") else {
            throw LockstepError(
                .misuse, "fewer than no backups cannot be kept, nor a name of several lines",
                hint: "keep 0 or more")
        }
        try Diagnosis.requireDatabase(database)
        let lock = try FileLock.wait(lockPath, timeout: timeout) { try requireGoingOn() }
        defer { _ = lock }
        let backups = try MigrationBackups(
            of: database, in: backupFolder, salts: access.salts)
        let connection = try open(access.key)
        let unfinished = try recover(connection, access, backups, &report)
        if try RunPlan.isAnythingDue(sets, target, recordedDown, on: connection) {
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
        var writing = options.asking(goOn)
        writing.isQueryOnly = false
        writing.synchronous = .full
        return try Connection.open(database, key: key, options: writing)
    }

    func requireGoingOn() throws(LockstepError) {
        guard goOn() else {
            throw LockstepError(.interrupted, "the migration of \(database) was interrupted")
        }
    }
}
