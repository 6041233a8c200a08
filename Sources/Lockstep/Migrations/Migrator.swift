/// Brings a database to a version of a migration set.
///
/// Each version is one transaction together with its ledger row: whatever kills the process, schema and
/// ledger agree. Two runners on one file do not get in each other's way: the plan is made again under
/// the write lock, so what the other has done is not done twice.
public struct Migrator {
    private let set: MigrationSet
    private let patience: Duration
    private let observe: (MigrationEvent) throws -> Void

    /// A migrator for `set`.
    /// - Parameters:
    ///   - patience: How long to wait, in whole seconds, while another runner holds the write lock.
    ///   - observe: Told what happens; an error it throws stops the run, and the version that is under
    ///     way is rolled back.
    public init(
        _ set: MigrationSet, patience: Duration = .seconds(60),
        observe: @escaping (MigrationEvent) throws -> Void = { _ in }
    ) {
        self.set = set
        self.patience = patience
        self.observe = observe
    }

    /// Runs what `wish` asks for.
    /// - Throws: ``LockstepError`` of the group "Migrations"; the version it speaks of is rolled back,
    ///   those before it stay.
    public func run(
        _ wish: Plan.Wish = .latest, on connection: borrowing Connection
    ) throws -> MigrationReport {
        var report = MigrationReport()
        try run(wish, on: connection, into: &report)
        return report
    }

    /// The same, with a report that also tells what was done before an error.
    public func run(
        _ wish: Plan.Wish = .latest, on connection: borrowing Connection,
        into report: inout MigrationReport
    ) throws {
        guard !connection.isInTransaction else {
            throw LockstepError(
                .misuse, "a migration cannot run inside a transaction",
                hint: "commit or roll back first")
        }
        try Self.requireOwnFile(connection)
        var left = wish
        // Once it leads down it must not lead up again, and what is wrong with files does not matter.
        if case .version(let target) = wish,
            case .down = try plan(wish, on: connection).steps.first
        {
            left = .downTo(target)
        }
        var guardState: KnownState?
        var agenda = Agenda()
        while let step = try agenda.next(connection, plan: { try plan(left, connection, &report) })
        {
            let done = try run(step, left, connection, &guardState, agenda)
            guard let done else {
                agenda.forget()
                continue
            }
            agenda.complete()
            report.steps.append(done)
            if case .back(let count) = left { left = .back(count - 1) }
        }
    }

    /// What would be run, and what is wrong.
    public func plan(_ wish: Plan.Wish, on connection: borrowing Connection) throws -> Plan {
        Plan(set, ledger: try Ledger.entries(connection), wish: wish)
    }

    private func plan(
        _ wish: Plan.Wish, _ connection: borrowing Connection, _ report: inout MigrationReport
    ) throws -> Plan {
        let plan = try plan(wish, on: connection)
        try plan.requireSound()
        for finding in plan.findings where !report.notices.contains(finding.error) {
            report.notices.append(finding.error)
        }
        return plan
    }

    // MARK: One version

    /// Runs the first step of the plan, or nothing if another runner has changed the ledger meanwhile.
    private func run(
        _ expected: Plan.Step, _ wish: Plan.Wish, _ connection: borrowing Connection,
        _ known: inout KnownState?, _ agenda: Agenda
    ) throws -> MigrationReport.Step? {
        let (script, name) = try script(of: expected)
        guard script.needsForeignKeysOff else {
            return try run(script, name, expected, wish, connection, &known, agenda)
        }
        // SQLite ignores the pragma inside a transaction: off before it begins, on after it ended.
        try Self.setForeignKeys(false, connection)
        do {
            let step = try run(script, name, expected, wish, connection, &known, agenda)
            try Self.setForeignKeys(true, connection)
            return step
        } catch {
            try Self.setForeignKeys(true, connection)
            throw error
        }
    }

    private func run(
        _ script: MigrationScript, _ name: String, _ expected: Plan.Step, _ wish: Plan.Wish,
        _ connection: borrowing Connection, _ known: inout KnownState?, _ agenda: Agenda
    ) throws -> MigrationReport.Step? {
        let transaction = try begin(connection)
        guard try agenda.isCurrent(connection) || plan(wish, on: connection).steps.first == expected
        else { return nil }
        let start = Clock.monotonicMicroseconds
        let isUp = if case .up = expected { true } else { false }
        try observe(.began(set: set.name, version: expected.version, isUp: isUp))
        let guarding = try KnownState.current(known, connection)
        defer { guarding.stop() }
        connection.authorizer.tableChanges = TableChanges()
        let runner = ScriptRunner(script: script, fileName: name, observe: observe)
        let statements = try runner.run(connection)
        try Self.located(name) {
            try guarding.requireSound(
                allowed: script.tablesAllowedToLoseRows, connection.authorizer.tableChanges)
        }
        try observe(.checked(set: set.name, version: expected.version))
        let duration = Clock.monotonicMicroseconds - start
        try connection.with(rights: .engine) {
            try Ledger.prepare(connection)
            switch expected {
            case .up(let file):
                try Ledger.record(file, of: set.name, duration: duration, connection)
            case .down(let entry):
                try Ledger.erase(entry, connection)
            }
        }
        try observe(.recorded(set: set.name, version: expected.version))
        known = try KnownState(guarding, connection)
        try transaction.commit()
        try observe(.committed(set: set.name, version: expected.version))
        return MigrationReport.Step(
            set: set.name, version: expected.version, name: Self.title(of: expected), isUp: isUp,
            statements: statements, duration: Clock.monotonicMicroseconds - start)
    }

    /// Another runner may be at work for longer than a connection usually waits.
    private func begin(_ connection: borrowing Connection) throws -> Transaction {
        let seconds = min(max(patience.components.seconds, 0), 1_000_000_000)
        let deadline = Clock.monotonicMicroseconds + seconds * 1_000_000
        while true {
            do {
                return try Transaction(.immediate, on: connection)
            } catch let error as LockstepError where error.code == .busy {
                guard Clock.monotonicMicroseconds < deadline else { throw error }
            }
        }
    }

    private func script(of step: Plan.Step) throws -> (MigrationScript, name: String) {
        switch step {
        case .up(let file): return (file.up, "\(set.name)/\(file.fileName)")
        case .down(let entry):
            let name = "\(entry.set) \(entry.version) (\(entry.name)), way down as recorded"
            return (try MigrationFileParser.parseScript(entry.down ?? "", name), name)
        }
    }

    private static func title(of step: Plan.Step) -> String {
        switch step {
        case .up(let file): file.name
        case .down(let entry): entry.name
        }
    }

    private static func located(_ name: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as LockstepError {
            throw error.located(name)
        }
    }

    private static func setForeignKeys(
        _ on: Bool, _ connection: borrowing Connection
    ) throws {
        try connection.setPragma("foreign_keys", on ? "ON" : "OFF")
        guard try connection.value("PRAGMA foreign_keys", as: Bool.self) == on else {
            throw LockstepError(
                .misuse, "foreign keys cannot be switched inside a transaction",
                hint: "commit or roll back first")
        }
    }

    /// Refuses another program's database, and marks one without a mark as ours.
    private static func requireOwnFile(_ connection: borrowing Connection) throws {
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
