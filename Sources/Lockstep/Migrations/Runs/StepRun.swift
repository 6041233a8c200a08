/// Runs one step of a plan: applies a version or undoes it.
struct StepRun {
    let set: MigrationSet
    let step: Plan.Step
    let timeout: Duration
    /// What the versions of the set have filled.
    let earlier: EarlierFills
    /// Tables whose foreign keys may refer to missing parents, because a later step repairs that.
    var repairedLater: Set<SQLName> = []
    /// Whether what happens to each table is reported.
    var showsEffects = false
    /// Whether the keys of the first rows are named.
    var namesRows = false
    let observe: (MigrationEvent) throws -> Void

    /// Returns, under the write lock, whether the step is still the next one.
    typealias IsStillPending = (borrowing Connection) throws -> Bool

    /// - Returns: Nil if another runner has changed the ledger.
    func run(
        _ connection: borrowing Connection, _ known: inout GuardCache?,
        isStillPending: IsStillPending
    ) throws -> MigrationReport.Step? {
        let time = WorkTime(connection)
        guard let statements = try runWork(connection, &known, isStillPending) else { return nil }
        return MigrationReport.Step(
            set: set.name, version: step.version, name: step.name, isUp: step.isUp, statements: statements,
            duration: time.worked(connection), waited: time.waited(connection))
    }

    private func runWork(
        _ connection: borrowing Connection, _ known: inout GuardCache?, _ isStillPending: IsStillPending
    ) throws -> Int? {
        switch try step.work(in: set) {
        case .code(let change, let foreignKeysOff, let losses):
            return try MigrationTransaction.withForeignKeys(off: foreignKeysOff, connection) {
                var allowances = Allowances(losses: losses)
                (allowances.shows, allowances.namesKeys) = (showsEffects, namesRows)
                return try runWhole(connection, &known, allowances, isStillPending, canRepeat: false) { connection, _ in
                    do {
                        try connection.with(rights: .migration) { try change(connection) }
                    } catch let error as LockstepError {
                        throw origin.located(error)
                    }
                    return 0
                }
            }
        case .script(let script):
            return try MigrationTransaction.withForeignKeys(off: script.needsForeignKeysOff, connection) {
                guard try script.isOneTransaction && !isBegun(connection) else {
                    let run = SegmentedRun(step: self, script: script, origin: origin)
                    return try run.run(connection, &known, isStillPending)
                }
                var allowances = allowances(script)
                allowances.repairedLater = repairedLater
                return try runWhole(connection, &known, allowances, isStillPending, canRepeat: true) {
                    connection, isAgain in
                    var runner = ScriptRunner(script: script, origin: origin, observe: isAgain ? { _ in } : observe)
                    runner.address = allowances
                    return try runner.run(connection)
                }
            }
        }
    }

    private var origin: ScriptOrigin { step.origin(in: set) }

    /// What the script declares, with what earlier versions have filled.
    func allowances(_ script: MigrationScript) -> Allowances {
        var allowances = script.allowances(step.version, isUp: step.isUp)
        allowances.earlier = .init(fills: earlier, version: step.version, script: script)
        (allowances.shows, allowances.namesKeys) = (showsEffects, namesRows)
        return allowances
    }

    /// Whether a part of the version that is to be applied has run: its file may have taken several transactions before
    /// it was changed.
    private func isBegun(_ connection: borrowing Connection) throws -> Bool {
        guard case .up = step else { return false }
        return try MigrationProgress.all(connection).contains {
            $0.set == set.name && $0.version == step.version
        }
    }

    // MARK: One transaction

    private func runWhole(
        _ connection: borrowing Connection, _ known: inout GuardCache?, _ allowances: Allowances,
        _ isStillPending: IsStillPending, canRepeat: Bool, _ body: (borrowing Connection, Bool) throws -> Int
    ) throws -> Int? {
        let transaction = try MigrationTransaction.begin(origin, timeout, connection, observe)
        guard try isStillPending(connection) else { return nil }
        if try isBegun(connection) {
            throw LockstepError(
                .migrationUnfinished, "another runner has begun \(origin.title) with another file",
                hint: "run it again: it continues where that runner stopped", context: origin.context)
        }
        let start = Clock.monotonicMicroseconds
        try observe(.began(set: set.name, version: step.version, isUp: step.isUp))
        let statements = try MigrationTransaction.checked(
            origin, allowances, connection, &known, report: { try observe(.tolerated($0)) },
            shown: { try observe(.compared($0)) }, canRepeat: canRepeat
        ) { isAgain in
            try body(connection, isAgain)
        } record: { _ in
            try record(connection, duration: Clock.time(since: start))
        }
        try MigrationTransaction.commit(origin, transaction)
        try observe(.committed(set: set.name, version: step.version))
        return statements
    }

    /// Writes the ledger in the transaction that completes the version.
    func record(_ connection: borrowing Connection, duration: Duration) throws {
        try observe(.checked(set: set.name, version: step.version))
        try MigrationTransaction.note(origin, connection) { connection in
            switch step {
            case .up(let migration):
                try Ledger.prepare(connection)
                try Ledger.record(migration, of: set.name, duration: duration.wholeMicroseconds, connection)
            case .down(let entry, _): try Ledger.erase(entry, connection)
            case .abandon: break
            }
            try MigrationProgress.erase(set.name, step.version, connection)
        }
        try observe(.recorded(set: set.name, version: step.version))
    }
}
