/// Migrates a database to a version of a migration set.
///
/// Each version is one transaction that includes its ledger row: however the process ends, schema and ledger
/// agree. A version that takes several transactions, such as one with a backfill, records its progress in each of
/// them, and the next run continues there. Two runners can work on one file: under the write lock, a runner makes
/// a new plan if another connection has written.
public struct Migrator {
    let set: MigrationSet
    private let timeout: Duration
    private let allowsOutOfOrder: Bool
    private let recordedDown: RecordedDown
    private var observe: (MigrationEvent) throws -> Void
    /// Whether ``MigrationReport/Step/effects`` says what a version did to the rows of each table. The price: changed
    /// tables, and those that get rows, are counted and compared once more. False by default.
    public var reportsEffects = false
    /// Whether the keys of the first rows to which something happens are named.
    var namesRows = false

    /// A migrator for `set`.
    /// - Parameters:
    ///   - set: The set.
    ///   - timeout: The maximum wait, in whole seconds, while another runner holds the write lock.
    ///   - allowsOutOfOrder: Whether a version may be applied after a newer one was.
    ///   - recordedDown: Whether the way down that the database recorded may undo a version whose file is gone.
    ///     Anyone with the database's key can have written it. Only on a connection without field keys.
    public init(
        _ set: MigrationSet, timeout: Duration = .seconds(60), allowsOutOfOrder: Bool = false,
        recordedDown: RecordedDown = .refused
    ) {
        self.init(
            set, timeout: timeout, allowsOutOfOrder: allowsOutOfOrder, recordedDown: recordedDown
        ) { _ in }
    }

    /// - Parameter observe: Receives the events of the run. An error that it throws stops the run and rolls back the
    ///   open transaction.
    init(
        _ set: MigrationSet, timeout: Duration = .seconds(60), allowsOutOfOrder: Bool = false,
        recordedDown: RecordedDown = .refused, observe: @escaping (MigrationEvent) throws -> Void
    ) {
        self.set = set
        self.timeout = timeout
        self.allowsOutOfOrder = allowsOutOfOrder
        self.recordedDown = recordedDown
        self.observe = observe
    }

    /// Runs the steps to `target`. Blocks; a store migrates with `try await store.migrate`.
    /// - Parameters:
    ///   - target: The target of the run.
    ///   - connection: A connection outside a transaction.
    ///   - progress: Called before each statement, for each version, and before a wait for another connection's write
    ///     lock. An error that it throws, and cancelling the task, roll back the open transaction.
    /// - Throws: ``LockstepError`` of the group "Migrations"; the version in the error is rolled back, earlier versions
    ///   stay applied. ``LockstepError/Code/locked`` if somebody is destroying a key of the connection's datasets for
    ///   longer than ``FileLockWait`` allows; ``LockstepError/Code/tampered`` for a ledger that was changed,
    ///   ``LockstepError/Code/misuse`` inside a transaction, for a set that was read for another engine, and if
    ///   recorded ways down are allowed on a connection with field keys; `CancellationError`; any error from
    ///   `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`") public func run(
        _ target: Plan.Target = .latest, on connection: borrowing Connection, progress: JobProgress.Handler = { _ in }
    ) throws -> MigrationReport {
        var report = MigrationReport()
        try run(target, on: connection, into: &report, progress: progress)
        return report
    }

    /// Runs the steps to `target`, with a report that also contains the steps completed before an error.
    /// - Throws: The errors of ``run(_:on:progress:)``.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`") public func run(
        _ target: Plan.Target = .latest, on connection: borrowing Connection,
        into report: inout MigrationReport, progress: JobProgress.Handler = { _ in }
    ) throws {
        defer { report.time = report.time.ended() }
        guard !connection.isInTransaction else {
            throw LockstepError(
                .misuse, "a migration cannot run inside a transaction", hint: "commit or roll back first")
        }
        try set.require(.sqlite)
        try recordedDown.require(on: connection)
        try withoutActuallyEscaping(progress) { progress in
            let reporter = MigrationReporter(progress)
            var migrator = self
            migrator.observe = { event in
                try observe(event)
                try reporter.report(event)
            }
            try Self.requireOwnFile(connection, timeout, migrator.observe)
            guard let sealed = connection.sealed else {
                return try migrator.runParts(of: target, connection, &report)
            }
            // Versions can seal columns. While they do, nobody destroys the keys.
            try sealed.allKeys.whileUsed {
                try sealed.withoutViews(connection) {
                    try migrator.runParts(of: target, connection, &report)
                }
            }
        }
    }

    private func runParts(
        of target: Plan.Target, _ connection: borrowing Connection, _ report: inout MigrationReport
    ) throws {
        for part in try parts(of: target, connection) {
            try runPart(part, connection, &report)
        }
        try requireSealed(connection, Ledger.history(connection))
    }

    /// What the applied versions declare as sealed is so: before a plan, and after a run.
    private func requireSealed(
        _ connection: borrowing Connection, _ history: MigrationHistory
    ) throws {
        guard SealedExpectations.concern(set) else { return }
        try connection.with(rights: .engine) {
            try SealedExpectations.require(set, history, connection)
        }
    }

    /// The steps to `target`, with the problems found.
    /// - Throws: ``LockstepError/Code/registryMissing`` if the file no longer records a column as sealed that an
    ///   applied version has sealed; ``LockstepError/Code/misuse`` for a set that was read for another engine; the
    ///   errors of reading the ledger.
    public func plan(_ target: Plan.Target, on connection: borrowing Connection) throws -> Plan {
        try set.require(.sqlite)
        let history = try Ledger.history(connection)
        try requireSealed(connection, history)
        return Plan(
            set, history: history, target: target, allowsOutOfOrder: allowsOutOfOrder, recordedDown: recordedDown)
    }

    // MARK: Steps

    /// Splits a target into targets that each lead in one direction.
    private func parts(
        of target: Plan.Target, _ connection: borrowing Connection
    ) throws -> [Plan.Target] {
        switch target {
        case .version(let version):
            // A target below the current version must not lead up again, and problems of other versions do not
            // matter.
            let first = try plan(target, on: connection).steps.first
            return first?.isUp == false ? [.downTo(version)] : [target]
        case .redo(let count):
            let first = try plan(target, on: connection)
            try first.requireSound()
            let top = first.steps.filter { !$0.isUp }.map(\.version).max()
            return [.back(count)] + (top.map { [.version($0)] } ?? [])
        default: return [target]
        }
    }

    private func runPart(
        _ target: Plan.Target, _ connection: borrowing Connection, _ report: inout MigrationReport
    ) throws {
        var left = target
        var known: GuardCache?
        let earlier = EarlierFills(set)
        while true {
            // Read first, so that later writes of other connections are noticed.
            let seen = try connection.core.dataVersion()
            let plan = try soundPlan(left, connection, &report)
            guard !plan.steps.isEmpty else {
                return try runRepeatables(plan.repeatables, connection, &known, &report)
            }
            try observe(.planned(versions: plan.steps.count))
            var isOvertaken = false
            var repairedLater: Set<SQLName>?
            for (index, step) in plan.steps.enumerated() {
                var (tolerated, effects): ([LockstepError], [TableEffects]) = ([], [])
                func run(_ repaired: Set<SQLName>) throws -> MigrationReport.Step? {
                    (tolerated, effects) = ([], [])
                    let run = StepRun(
                        set: set, step: step, timeout: timeout, earlier: earlier, repairedLater: repaired,
                        showsEffects: reportsEffects, namesRows: namesRows
                    ) { event in
                        if case .tolerated(let found) = event { tolerated.append(found) }
                        if case .compared(let found) = event { effects += found }
                        try observe(event)
                    }
                    return try run.run(connection, &known) { connection in
                        if try connection.core.dataVersion() == seen { return true }
                        return try self.plan(left, on: connection).steps.first == step
                    }
                }
                let done: MigrationReport.Step?
                do {
                    done = try run(repairedLater ?? [])
                } catch let error as LockstepError
                    where repairedLater == nil && error.isMissingParent
                {
                    // Only a run that would end here pays for the look ahead.
                    let found = try repaired(by: plan.steps[index...], connection)
                    guard let table = error.context.table, found.contains(SQLName(table)) else {
                        throw error
                    }
                    (repairedLater, known) = (found, known?.stale)
                    done = try run(found)
                }
                // Another runner was faster, or had a different target.
                guard var done else {
                    isOvertaken = true
                    break
                }
                done.effects = TableEffects.merged(effects)
                report.steps.append(done)
                report.notices += tolerated
                if case .back(let count) = left { left = .back(count - 1) }
            }
            // If no other connection has written, another plan would have no steps.
            if !isOvertaken, try connection.core.dataVersion() == seen {
                return try runRepeatables(plan.repeatables, connection, &known, &report)
            }
        }
    }

    private func runRepeatables(
        _ files: [MigrationFile], _ connection: borrowing Connection, _ known: inout GuardCache?,
        _ report: inout MigrationReport
    ) throws {
        for file in files {
            var tolerated: [LockstepError] = []
            let run = RepeatableRun(set: set.name, file: file, timeout: timeout) { event in
                if case .tolerated(let found) = event { tolerated.append(found) }
                try observe(event)
            }
            guard let done = try run.run(connection, &known) else { continue }
            report.repeated.append(done)
            report.notices += tolerated
        }
    }

    private func soundPlan(
        _ target: Plan.Target, _ connection: borrowing Connection, _ report: inout MigrationReport
    ) throws -> Plan {
        let plan = try plan(target, on: connection)
        try plan.requireSound()
        for finding in plan.findings where !report.notices.contains(finding.error) {
            report.notices.append(finding.error)
        }
        return plan
    }

    /// Refuses another program's database, and marks an unmarked one as Lockstep's.
    static func requireOwnFile(
        _ connection: borrowing Connection, _ timeout: Duration, _ observe: (MigrationEvent) throws -> Void = { _ in }
    ) throws {
        let mark = try connection.headerField("application_id")
        guard mark != Connection.applicationID else { return }
        guard mark == 0 else {
            throw LockstepError(
                .foreignApplication, "\(connection.path) belongs to another program (application_id \(mark))",
                hint: "check that this is the intended database", context: .file(connection.path))
        }
        let origin = ScriptOrigin("\(connection.path)", .file(connection.path))
        let transaction = try MigrationTransaction.begin(origin, timeout, connection, observe)
        try connection.setHeaderField("application_id", Connection.applicationID)
        try MigrationTransaction.commit(origin, transaction)
    }
}

extension LockstepError {
    /// Whether a foreign key refers to a table or to columns that do not exist.
    fileprivate var isMissingParent: Bool {
        code == .foreignKeysBroken && context.missing?.kind == .parent
    }
}
