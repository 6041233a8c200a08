public import SystemPackage

/// Runs the migrations that are pending on an encrypted copy of the real database, to see whether they get
/// through, how long they take and what they do to the rows.
///
/// The real file is only read, and writers go on meanwhile. The copy is made page by page under a random key
/// that nothing keeps: were it left behind by a kill, nobody could read it, and the next rehearsal removes it.
/// It lies under a hidden name, readable by its owner only, and is removed when the rehearsal ends, whichever
/// way.
///
/// Costs reading the database once, the migrations themselves, counting every table once a version, and a
/// verification; twice its size in free space, and more where migrations rewrite most of it more than once.
public struct Rehearsal {
    /// The database file.
    public let database: FilePath
    /// The sets to run, in this order.
    public let sets: [MigrationSet]
    /// How far to go.
    public var target = Plan.Target.latest
    /// Whether a version whose file is gone may be undone as the database recorded it, which anyone with its key can
    /// have written. Only without field keys among ``options``.
    public var recordedDown = RecordedDown.refused
    /// Where the copy is made; nil for the database's own folder. Another disk makes other times.
    public var folder: FilePath?
    /// How the copy is opened. Functions and collations that the schema needs must be among it.
    public var options = ConnectionOptions()
    /// Asked again and again, within statements too; false ends the rehearsal.
    public var goOn: @Sendable () -> Bool = { !Task.isCancelled }

    /// How much space the disk of a folder has; tests have their own disks.
    var freeSpace: (FilePath) throws -> Int? = { try FileAccess.freeSpace(in: $0) }

    /// A rehearsal of `sets` for `database`. Nothing is done yet.
    public init(of database: FilePath, sets: [MigrationSet]) {
        self.database = database
        self.sets = sets
    }

    /// Runs the rehearsal. Blocks.
    ///
    /// A version that fails is what a rehearsal is for, and told in the report.
    /// - Parameter progress: Is told how many pages have been copied; what it throws ends the rehearsal.
    /// - Throws: What keeps it from being held: ``LockstepError/Code/full``, the plan's fatal findings,
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged``, ``LockstepError/Code/interrupted``
    ///   if ``goOn`` says so. Nothing is left behind.
    public func run(
        _ access: borrowing DatabaseAccess, progress: (CopyProgress) throws -> Void = { _ in }
    ) throws -> RehearsalReport {
        var report = RehearsalReport()
        var reading = options.asking(goOn)
        reading.isQueryOnly = true
        let original = try Connection.open(database, key: access.key, options: reading)
        guard try RunPlan.isAnythingDue(sets, target, recordedDown, on: original) else {
            return report
        }
        let folder = folder ?? AtomicFile.parent(of: database)
        try requireSpace(original, folder)
        let copy = try RehearsalCopy(of: database, in: folder)
        let key = try DatabaseKey.ephemeral()
        let start = Clock.monotonicMicroseconds
        try NamedDamage.of(database, access.key) {
            try original.read { original in
                try Backup.copyPages(original, to: copy.path, key) { copied in
                    try requireGoingOn()
                    try progress(copied)
                }
            }
        }
        _ = consume original
        report.copyDuration = Clock.monotonicMicroseconds - start
        report.bytesBefore = try DatabaseFile(copy.path).size
        try migrate(copy.path, key, &report)
        try requireGoingOn()
        report.bytesAfter = try DatabaseFile(copy.path).size
        guard report.failure == nil else { return report }
        try verify(copy.path, key, access, &report)
        return report
    }

    /// The copy, and as much again for the log that migrations write.
    private func requireSpace(_ original: borrowing Connection, _ folder: FilePath) throws {
        let pages: Int? = try original.value("PRAGMA main.page_count")
        let bytes = (pages ?? 0) * Profile.current.pageSize
        try DiskSpace.require(
            DiskSpace.needed(forCopyOf: bytes) + bytes, for: "a rehearsal of \(database)",
            in: folder, freeSpace)
    }

    private func requireGoingOn() throws(LockstepError) {
        guard goOn() else {
            throw LockstepError(.interrupted, "the rehearsal was interrupted: its copy is removed")
        }
    }

    // MARK: Steps

    private func migrate(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ report: inout RehearsalReport
    ) throws {
        var writing = options.asking(goOn)
        writing.isQueryOnly = false
        let connection = try Connection.open(path, key: key, options: writing)
        let rows = try RehearsedRows(path, key, options.ofSchema)
        for set in sets {
            var run = MigrationReport()
            let migrator = Migrator(set, recordedDown: recordedDown) { event in
                try requireGoingOn()
                if case .committed = event { try rows.count() }
            }
            do {
                try migrator.run(target, on: connection, into: &run)
            } catch let error as LockstepError {
                try requireGoingOn()
                report.failure = error
            }
            report.notices += run.notices
            report.steps += zip(run.steps, rows.take()).map(RehearsalReport.Step.init)
            if report.failure != nil { break }
        }
        report.logBytes = try Self.logSize(path)
        // What the real file comes to when its log is brought in.
        if report.failure == nil { try connection.checkpoint(.truncate) }
    }

    private static func logSize(_ path: FilePath) throws -> Int {
        let log = DatabaseFile.side("-wal", of: path)
        return FileAccess.exists(log) ? try FileAccess.sizeOfRegularFile(log) : 0
    }

    private func verify(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ access: borrowing DatabaseAccess,
        _ report: inout RehearsalReport
    ) throws {
        let after = try Verification(path, sets: sets).run(key: key)
        let key = try access.key.clone()
        let new = try VerificationChange.newFailures(after) {
            try Verification(database, sets: sets).run(key: key)
        }
        report.verification = after
        report.newFailures = new.map(\.check)
        report.notices += VerificationChange.notices(after, besides: new)
    }
}

extension RehearsalReport.Step {
    fileprivate init(_ step: MigrationReport.Step, _ rows: [RehearsalReport.RowChange]) {
        self.init(
            set: step.set, version: step.version, name: step.name, isUp: step.isUp,
            statements: step.statements, duration: step.duration, rows: rows)
    }
}

/// Counts the rows of the copy behind each version, on a connection of its own that sees what is committed.
private final class RehearsedRows {
    private let connection: Connection
    private var last: RowCensus
    private var changes: [[RehearsalReport.RowChange]] = []

    init(_ path: FilePath, _ key: borrowing DatabaseKey, _ options: ConnectionOptions) throws {
        var reading = options
        reading.isQueryOnly = true
        connection = try Connection.open(path, key: key, options: reading)
        last = try RowCensus(connection)
    }

    func count() throws {
        let now = try RowCensus(connection)
        changes.append(now.changes(since: last))
        last = now
    }

    /// What was counted since this was last asked, version by version.
    func take() -> [[RehearsalReport.RowChange]] {
        defer { changes = [] }
        return changes
    }
}
