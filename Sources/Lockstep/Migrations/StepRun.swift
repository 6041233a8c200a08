/// Runs one step of a plan: applies a version, or undoes it.
struct StepRun {
    let set: MigrationSet
    let step: Plan.Step
    let patience: Duration
    let observe: (MigrationEvent) throws -> Void

    /// Asked under the write lock whether the step is still the one to take.
    typealias IsStillDue = (borrowing Connection) throws -> Bool

    /// - Returns: Nil if another runner has changed the ledger meanwhile.
    func run(
        _ connection: borrowing Connection, _ known: inout KnownState?,
        isStillDue: IsStillDue
    ) throws -> MigrationReport.Step? {
        let start = Clock.monotonicMicroseconds
        guard let statements = try runWork(connection, &known, isStillDue) else { return nil }
        return MigrationReport.Step(
            set: set.name, version: step.version, name: step.name, isUp: step.isUp,
            statements: statements, duration: Clock.monotonicMicroseconds - start)
    }

    private func runWork(
        _ connection: borrowing Connection, _ known: inout KnownState?, _ isStillDue: IsStillDue
    ) throws -> Int? {
        switch try work() {
        case .code(let change, let foreignKeysOff, let allowed):
            return try MigrationTransaction.withForeignKeys(off: foreignKeysOff, connection) {
                try runWhole(connection, &known, allowed, isStillDue) { connection in
                    try connection.with(rights: .migration) { try change(connection) }
                    return 0
                }
            }
        case .script(let script):
            return try MigrationTransaction.withForeignKeys(
                off: script.needsForeignKeysOff, connection
            ) {
                guard script.isOneTransaction else {
                    let run = SegmentedRun(step: self, script: script, title: title)
                    return try run.run(connection, &known, isStillDue)
                }
                let allowed = script.tablesAllowedToLoseRows
                return try runWhole(connection, &known, allowed, isStillDue) { connection in
                    try ScriptRunner(script: script, fileName: title, observe: observe)
                        .run(connection)
                }
            }
        }
    }

    // MARK: What there is to do

    private enum Work {
        case script(MigrationScript)
        case code(CodeMigration.Change, foreignKeysOff: Bool, allowed: Set<String>)
    }

    private func work() throws -> Work {
        switch step {
        case .up(.file(let file)): return .script(file.up)
        case .up(.code(let code)):
            return .code(
                code.up, foreignKeysOff: code.foreignKeysOff, allowed: code.tablesAllowedToLoseRows)
        case .down(let entry):
            if let down = entry.down { return .script(try parse(down)) }
            let code = set.code.first { $0.version == entry.version }
            guard let code, let change = code.down else { throw irreversible() }
            return .code(
                change, foreignKeysOff: code.foreignKeysOff, allowed: code.tablesAllowedToLoseRows)
        case .abandon(let unfinished):
            guard let down = unfinished.down else { throw irreversible() }
            let script = try parse(down)
            guard script.isOneTransaction else {
                throw LockstepError(
                    .irreversible, "\(title) takes several transactions, and so does its way up",
                    hint: "finish it with a migration, then roll it back")
            }
            return .script(script)
        }
    }

    private func parse(_ down: String) throws -> MigrationScript {
        try MigrationFileParser.parseScript(down, title)
    }

    private func irreversible() -> LockstepError {
        LockstepError(
            .irreversible, "\(title) has no way down",
            hint: "restore a backup from before it instead")
    }

    /// How errors call what runs.
    private var title: String {
        switch step {
        case .up(let migration): "\(set.name)/\(migration.title)"
        case .down, .abandon:
            "\(set.name) \(step.version) (\(step.name)), way down as recorded"
        }
    }

    // MARK: One transaction

    private func runWhole(
        _ connection: borrowing Connection, _ known: inout KnownState?, _ allowed: Set<String>,
        _ isStillDue: IsStillDue, _ body: (borrowing Connection) throws -> Int
    ) throws -> Int? {
        let transaction = try MigrationTransaction.begin(patience, connection)
        guard try isStillDue(connection) else { return nil }
        let start = Clock.monotonicMicroseconds
        try observe(.began(set: set.name, version: step.version, isUp: step.isUp))
        let statements = try MigrationTransaction.checked(
            title, allowed: allowed, connection, &known
        ) { try body(connection) }
        try record(connection, duration: Clock.monotonicMicroseconds - start)
        try transaction.commit()
        try observe(.committed(set: set.name, version: step.version))
        return statements
    }

    /// Writes the ledger, in the transaction that ends the version.
    func record(_ connection: borrowing Connection, duration: Int64) throws {
        try observe(.checked(set: set.name, version: step.version))
        try connection.with(rights: .engine) {
            switch step {
            case .up(let migration):
                try Ledger.prepare(connection)
                try Ledger.record(migration, of: set.name, duration: duration, connection)
            case .down(let entry): try Ledger.erase(entry, connection)
            case .abandon: break
            }
            try MigrationProgress.erase(set.name, step.version, connection)
        }
        try observe(.recorded(set: set.name, version: step.version))
    }
}
