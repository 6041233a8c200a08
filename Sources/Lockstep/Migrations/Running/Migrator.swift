/// Brings a database to a version of a migration set.
///
/// Each version is one transaction together with its ledger row: whatever kills the process, schema and
/// ledger agree. A version that takes several, such as one with a backfill, leaves a note of how far it
/// has come with each of them, and the next run goes on there. Two runners on one file do not get in each
/// other's way: under the write lock the plan is made again if anybody else has written.
public struct Migrator {
    let set: MigrationSet
    private let timeout: Duration
    private let allowsOutOfOrder: Bool
    private let recordedDown: RecordedDown
    private let observe: (MigrationEvent) throws -> Void

    /// A migrator for `set`.
    /// - Parameters:
    ///   - timeout: How long to wait, in whole seconds, while another runner holds the write lock.
    ///   - allowsOutOfOrder: Whether a version may be applied though a newer one already is.
    ///   - recordedDown: Whether a version whose file is gone may be undone as the database recorded it, which
    ///     anyone with its key can have written. Only on a connection without field keys.
    ///   - observe: Told what happens; an error it throws stops the run, and the transaction that is under
    ///     way is rolled back.
    public init(
        _ set: MigrationSet, timeout: Duration = .seconds(60), allowsOutOfOrder: Bool = false,
        recordedDown: RecordedDown = .refused,
        observe: @escaping (MigrationEvent) throws -> Void = { _ in }
    ) {
        self.set = set
        self.timeout = timeout
        self.allowsOutOfOrder = allowsOutOfOrder
        self.recordedDown = recordedDown
        self.observe = observe
    }

    /// Runs what `target` asks for.
    /// - Throws: ``LockstepError`` of the group "Migrations"; the version it speaks of is rolled back,
    ///   those before it stay. ``LockstepError/Code/tampered`` for a ledger that was changed,
    ///   ``LockstepError/Code/misuse`` if recorded ways down are allowed on a connection with field keys.
    public func run(
        _ target: Plan.Target = .latest, on connection: borrowing Connection
    ) throws -> MigrationReport {
        var report = MigrationReport()
        try run(target, on: connection, into: &report)
        return report
    }

    /// The same, with a report that also tells what was done before an error.
    public func run(
        _ target: Plan.Target = .latest, on connection: borrowing Connection,
        into report: inout MigrationReport
    ) throws {
        guard !connection.isInTransaction else {
            throw LockstepError(
                .misuse, "a migration cannot run inside a transaction",
                hint: "commit or roll back first")
        }
        try recordedDown.require(on: connection)
        try Self.requireOwnFile(connection)
        guard let sealed = connection.sealed else {
            return try runParts(of: target, connection, &report)
        }
        try sealed.withoutViews(connection) { try runParts(of: target, connection, &report) }
    }

    private func runParts(
        of target: Plan.Target, _ connection: borrowing Connection, _ report: inout MigrationReport
    ) throws {
        for part in try parts(of: target, connection) {
            try runPart(part, connection, &report)
        }
    }

    /// What would be run, and what is wrong.
    /// - Throws: ``LockstepError/Code/registryMissing`` where the file does not say any more that a column is sealed which
    ///   an applied version has sealed; what reading the ledger throws.
    public func plan(_ target: Plan.Target, on connection: borrowing Connection) throws -> Plan {
        let history = try Ledger.history(connection)
        if SealedExpectations.concern(set) {
            try connection.with(rights: .engine) {
                try SealedExpectations.require(set, history, connection)
            }
        }
        return Plan(
            set, history: history, target: target, allowsOutOfOrder: allowsOutOfOrder,
            recordedDown: recordedDown)
    }

    // MARK: Steps

    /// A target as others that each lead in one direction.
    private func parts(
        of target: Plan.Target, _ connection: borrowing Connection
    ) throws -> [Plan.Target] {
        switch target {
        case .version(let version):
            // Once it leads down it must not lead up again, and what is wrong with other versions does not matter.
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
        while true {
            // Read first: who writes behind it is noticed.
            let seen = try connection.core.dataVersion()
            let plan = try soundPlan(left, connection, &report)
            guard !plan.steps.isEmpty else {
                return try runRepeatables(plan.repeatables, connection, &known, &report)
            }
            var isOvertaken = false
            for step in plan.steps {
                var tolerated: [LockstepError] = []
                let run = StepRun(set: set, step: step, timeout: timeout) { event in
                    if case .tolerated(let found) = event { tolerated.append(found) }
                    try observe(event)
                }
                let done = try run.run(connection, &known) { connection in
                    if try connection.core.dataVersion() == seen { return true }
                    return try self.plan(left, on: connection).steps.first == step
                }
                // Another runner was faster, or went elsewhere.
                guard let done else {
                    isOvertaken = true
                    break
                }
                report.steps.append(done)
                report.notices += tolerated
                if case .back(let count) = left { left = .back(count - 1) }
            }
            // Where nobody else has written, another plan would find no steps.
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

    /// Refuses another program's database, and marks one without a mark as ours.
    static func requireOwnFile(_ connection: borrowing Connection) throws {
        let mark = try connection.headerField("application_id")
        guard mark != Connection.applicationID else { return }
        guard mark == 0 else {
            throw LockstepError(
                .foreignApplication,
                "\(connection.path) belongs to another program (application_id \(mark))",
                hint: "check that this is the database you mean")
        }
        try connection.setHeaderField("application_id", Connection.applicationID)
    }
}
