public import Lockstep

/// Migrates a PostgreSQL database to a version of a migration set.
///
/// Each version is one transaction that includes its ledger row: however the process ends, schema and ledger agree.
/// Several runners at once take turns by a lock that ends with the transaction, and each makes its plan under it.
///
/// A statement that waits for a lock makes everyone else wait who comes after it. So no statement waits longer than a
/// second: the version is rolled back, and begun again a moment later, until `timeout` has passed.
public struct ServerMigrator {
    /// What happens in a run, for tests that end it there.
    package enum Event: Equatable {
        /// A statement is about to run.
        case statement(line: Int)
        /// All statements ran; the ledger is about to be written.
        case recording
        /// The ledger is written; the commit is about to happen.
        case committing
    }

    let set: MigrationSet
    /// How long a version waits for locks and other runners.
    let timeout: Duration
    private let allowsOutOfOrder: Bool
    private let recordedDown: RecordedDown
    /// Whether sealed columns get their shape alone, without keys and without a registry: for a copy, which brings
    /// both.
    private var isOfShape = false
    private let observe: (Event) throws -> Void

    /// A migrator for `set`.
    /// - Parameters:
    ///   - set: The set, read for `DatabaseEngine.postgres`.
    ///   - timeout: How long a version waits for locks and other runners.
    ///   - allowsOutOfOrder: Whether a version may be applied after a newer one was.
    ///   - recordedDown: Whether the way down that the server recorded may undo a version whose file is gone. Anyone
    ///     who can write the ledger can have written it.
    public init(
        _ set: MigrationSet, timeout: Duration = .seconds(60), allowsOutOfOrder: Bool = false,
        recordedDown: RecordedDown = .refused
    ) {
        self.init(
            set, timeout: timeout, allowsOutOfOrder: allowsOutOfOrder,
            recordedDown: recordedDown
        ) { _ in }
    }

    /// A migrator for the schema alone.
    init(forShapeOf set: MigrationSet) {
        self.init(set)
        isOfShape = true
    }

    package init(
        _ set: MigrationSet, timeout: Duration = .seconds(60), allowsOutOfOrder: Bool = false,
        recordedDown: RecordedDown = .refused, observe: @escaping (Event) throws -> Void
    ) {
        self.set = set
        self.timeout = timeout
        self.allowsOutOfOrder = allowsOutOfOrder
        self.recordedDown = recordedDown
        self.observe = observe
    }

    /// What the server's ledger records.
    /// - Throws: `LockstepError.Code.tampered` for rows that Lockstep did not write; the server's errors.
    public static func history(_ connection: borrowing ServerConnection) throws
        -> MigrationHistory
    {
        try ServerLedger(connection).history(connection)
    }

    /// The steps to `target`, with the problems found. Nothing runs, and every script is read.
    /// - Throws: `LockstepError.Code.misuse` for a set that was read for another engine;
    ///   `LockstepError.Code.registryMissing` if the server no longer records a column as sealed that an applied version
    ///   has sealed; the errors of ``history(_:)``.
    public func plan(_ target: Plan.Target, on connection: borrowing ServerConnection) throws -> Plan {
        try set.require(.postgres)
        let ledger = try ServerLedger(connection)
        let history = try ledger.history(connection)
        try requireSealed(ledger, connection) { history }
        return plan(target, history)
    }

    /// What the applied versions declare as sealed is so: before a plan, and after a run.
    private func requireSealed(
        _ ledger: ServerLedger, _ connection: borrowing ServerConnection, _ history: () throws -> MigrationHistory
    ) throws {
        guard SealedExpectations.concern(set), !isOfShape else { return }
        try connection.fields?.look(connection)
        try SealedExpectations.require(set, history()) {
            try ServerRegistry(schema: ledger.schema).claimed(connection).map(\.column)
        } proven: { dataset in
            guard let fields = connection.fields, let keys = fields.keys(named: dataset) else { return nil }
            return fields.registry(of: keys)?.columns.filter { $0.state != .plaintext } ?? []
        }
    }

    private func plan(_ target: Plan.Target, _ history: MigrationHistory) -> Plan {
        Plan(set, history: history, target: target, allowsOutOfOrder: allowsOutOfOrder, recordedDown: recordedDown)
    }

    /// Runs the steps to `target`, and then, on the way to the newest version, the repeatable migrations that have
    /// changed. Blocks.
    ///
    /// A redo is not one transaction: each version is undone in its own, and applied again in its own.
    /// - Parameters:
    ///   - target: The target of the run.
    ///   - connection: A connection outside a transaction.
    ///   - report: Gets the steps, also those completed before an error.
    ///   - progress: Called before each statement and before each new attempt. An error that it throws rolls back the
    ///     open version.
    /// - Throws: `LockstepError` of the group "Migrations"; the version in the error is rolled back, earlier versions
    ///   stay applied. `LockstepError.Code.busy` if locks or other runners took longer than `timeout`;
    ///   `LockstepError.Code.tampered` for a ledger that Lockstep did not write; `LockstepError.Code.misuse` inside a
    ///   transaction, for a set of another engine, and while a copy to the schema is not finished;
    ///   `LockstepError.Code.registryMissing` as ``plan(_:on:)``;
    ///   `LockstepError.Code.commitUnknown` if the connection is lost during a commit: a second run finds out. Any
    ///   error from `progress`.
    public func run(
        _ target: Plan.Target = .latest, on connection: borrowing ServerConnection,
        into report: inout MigrationReport, progress: @escaping JobProgress.Handler = { _ in }
    ) throws {
        defer { report.time = report.time.ended() }
        try set.require(.postgres)
        guard !connection.isInTransaction else {
            throw LockstepError(
                .misuse, "a migration cannot run inside a transaction", hint: "commit or roll back first")
        }
        let ledger = try ServerLedger(connection)
        let path: String? = try connection.value(
            "SELECT pg_catalog.current_setting('search_path')")
        let work = ServerWork(
            set: set, ledger: ledger, path: path ?? "", state: try SessionState(connection), timeout: timeout,
            isOfShape: isOfShape, observe: observe, progress: progress)
        let history = try work.history(connection)
        try requireSealed(ledger, connection) { history }
        for goal in try goals(of: target, history) {
            try reach(goal, work, connection, &report)
        }
        if target == .latest {
            while try repeating(progress, { try repeatOne(work, connection, &report) }) {}
        }
        try requireSealed(ledger, connection) { try work.history(connection) }
    }

    /// Runs the steps to `target`.
    /// - Throws: The errors of ``run(_:on:into:progress:)``.
    public func run(
        _ target: Plan.Target = .latest, on connection: borrowing ServerConnection,
        progress: @escaping JobProgress.Handler = { _ in }
    ) throws -> MigrationReport {
        var report = MigrationReport()
        try run(target, on: connection, into: &report, progress: progress)
        return report
    }

    // MARK: Goals

    /// What a run goes on to until there is no step to it.
    private enum Goal {
        case target(Plan.Target)
        /// These versions alone.
        case versions([MigrationVersion])
    }

    /// The goals of a run, of which every script is read before anything runs. A target below the current version does
    /// not lead up again.
    private func goals(
        of target: Plan.Target, _ history: MigrationHistory
    ) throws -> [Goal] {
        let plan = plan(target, history)
        try plan.requireSound()
        for step in plan.steps { _ = try script(of: step) }
        for file in plan.repeatables { _ = try script(of: file) }
        switch target {
        case .version(let version):
            return [.target(plan.steps.first?.isUp == false ? .downTo(version) : target)]
        case .redo(let count):
            return [
                .target(.back(count)), .versions(plan.steps.filter(\.isUp).map(\.version)),
            ]
        case .latest, .downTo, .back: return [.target(target)]
        }
    }

    func script(of step: Plan.Step) throws -> ServerScript {
        let script = try ServerScript(step.script(in: set), step.origin(in: set))
        if case .abandon = step, script.runsByItself {
            throw script.origin.located(
                LockstepError(
                    .irreversible, "its statements commit by themselves, as on the way up",
                    hint: "finish the version with a migration, then roll it back"))
        }
        return script
    }

    func script(of file: MigrationFile) throws -> ServerScript {
        let origin = Migration.file(file).origin(in: set.name)
        let script = try ServerScript(file.up, origin)
        guard !script.runsByItself else {
            throw LockstepError(
                .migrationMalformed, "\(origin.title): a repeatable migration must be one transaction",
                hint: "move statements that cannot run in a transaction into a version",
                context: .init(file: file.fileName, set: set.name))
        }
        return script
    }

    private func reach(
        _ goal: Goal, _ work: ServerWork, _ connection: borrowing ServerConnection, _ report: inout MigrationReport
    ) throws {
        var goal = goal
        while true {
            var outcome = try repeating(work.progress) {
                try runOne(goal, work, connection, &report)
            }
            if case .byItself = outcome {
                outcome = try repeating(work.progress) {
                    try runByItself(goal, work, connection, &report)
                }
            }
            switch outcome {
            case .nothing: return
            case .byItself: continue
            case .done(let step):
                // One of several to undo is undone.
                guard case .target(.back(let count)) = goal, !step.isUp else { continue }
                guard count > 1 else { return }
                goal = .target(.back(count - 1))
            }
        }
    }

    /// The next step to a goal, by what is recorded now.
    private func next(
        _ goal: Goal, _ history: MigrationHistory
    ) throws -> Next? {
        let plan =
            switch goal {
            case .target(let target): plan(target, history)
            case .versions:
                Plan(set, history: history, target: .latest, allowsOutOfOrder: true)
            }
        try plan.requireSound()
        let index = plan.steps.firstIndex { step in
            switch goal {
            case .target: true
            case .versions(let versions): versions.contains(step.version)
            }
        }
        return index.map {
            Next(
                step: plan.steps[$0], later: plan.steps[($0 + 1)...],
                notices: plan.findings.filter { !$0.isFatal }.map(\.error))
        }
    }

    private struct Next {
        let step: Plan.Step
        /// The steps that follow it, which can seal or name columns.
        let later: ArraySlice<Plan.Step>
        let notices: [LockstepError]
    }

    // MARK: One version

    private enum Outcome {
        case nothing
        case done(Plan.Step)
        /// The next version's statements commit by themselves.
        case byItself
    }

    /// Runs `body` again while locks keep it from running.
    private func repeating<Output>(
        _ progress: JobProgress.Handler, _ body: () throws -> Output
    ) throws -> Output {
        let start = Clock.monotonicMicroseconds
        while true {
            do {
                return try body()
            } catch let error as LockstepError where error.code == .busy {
                guard Clock.time(since: start) < timeout else {
                    throw LockstepError(
                        .busy,
                        "\(error.message), for longer than \(timeout.components.seconds) s",
                        advice:
                            "end the transaction that holds the lock, or wait longer: \(.serverPatience)",
                        context: error.context)
                }
                try JobProgress(waitingFor: set.name).report(to: progress)
                // Let connections that queued after this attempt go first.
                Clock.pause(milliseconds: 50)
            }
        }
    }

    private func runOne(
        _ goal: Goal, _ work: ServerWork, _ connection: borrowing ServerConnection, _ report: inout MigrationReport
    ) throws -> Outcome {
        let start = Clock.monotonicMicroseconds
        var done: ServerStep?
        let outcome: Outcome = try connection.transaction { connection in
            try work.settle(connection)
            try work.ledger.lock(connection)
            let waited = Clock.time(since: start)
            let history = try work.history(connection)
            guard let next = try next(goal, history) else { return .nothing }
            let step = next.step
            let script = try script(of: step)
            guard !script.runsByItself else { return .byItself }
            let begun = Clock.monotonicMicroseconds
            let losses = try work.runGuarded(script, connection) {
                try JobProgress(step, of: set.name, line: $0).report(to: work.progress)
            }
            try work.requireNamed(script, next.later, connection)
            try observe(.recording)
            let duration = Clock.time(since: begun)
            try work.record(step, after: history, duration: duration, connection)
            try observe(.committing)
            done = ServerStep(
                step, of: set.name, script, duration: duration, waited: waited, notices: losses + next.notices)
            return .done(step)
        }
        done?.add(to: &report)
        return outcome
    }

    /// Runs a version whose statements commit by themselves, under a claim that a second connection holds.
    private func runByItself(
        _ goal: Goal, _ work: ServerWork, _ connection: borrowing ServerConnection, _ report: inout MigrationReport
    ) throws -> Outcome {
        let start = Clock.monotonicMicroseconds
        let claim = try ServerClaim(work.ledger, beside: connection)
        let waited = Clock.time(since: start)
        let history = try work.history(connection)
        guard let next = try next(goal, history) else { return .nothing }
        let step = next.step
        let script = try script(of: step)
        // Another runner has done that version meanwhile.
        guard script.runsByItself else { return .byItself }
        let run = ServerStepwiseRun(work: work, step: step, later: next.later, script: script, history: history)
        let (losses, duration) = try run.run(claim, connection)
        ServerStep(step, of: set.name, script, duration: duration, waited: waited, notices: losses + next.notices).add(
            to: &report)
        return .done(step)
    }

    /// Runs the first repeatable migration that has changed.
    /// - Returns: Whether there was one.
    private func repeatOne(
        _ work: ServerWork, _ connection: borrowing ServerConnection, _ report: inout MigrationReport
    ) throws -> Bool {
        let start = Clock.monotonicMicroseconds
        var done: (MigrationReport.Repeated, [LockstepError])?
        try connection.transaction { connection in
            try work.settle(connection)
            try work.ledger.lock(connection)
            let waited = Clock.time(since: start)
            let plan = plan(.latest, try work.history(connection))
            try plan.requireSound()
            guard let file = plan.repeatables.first else { return }
            let script = try script(of: file)
            let begun = Clock.monotonicMicroseconds
            let losses = try work.runGuarded(script, connection) {
                try JobProgress(repeating: file.name, of: set.name, line: $0)
                    .report(to: work.progress)
            }
            try work.requireNamed(script, [], connection)
            try observe(.recording)
            let duration = Clock.time(since: begun)
            try work.ledger.note(file, of: set.name, duration: duration.wholeMicroseconds, connection)
            try observe(.committing)
            done = (
                MigrationReport.Repeated(
                    set: set.name, name: file.name, statements: script.statements.count,
                    duration: duration, waited: ServerStep.worthNaming(waited)), losses
            )
        }
        guard let (repeated, losses) = done else { return false }
        report.repeated.append(repeated)
        ServerStep.add(losses, to: &report)
        return true
    }
}
