internal import Lockstep

/// Runs a version whose statements commit by themselves: each in a transaction with its progress, but for those that a
/// server runs only outside one. Killed anywhere, it continues with the statement that was not noted as done.
struct ServerStepwiseRun {
    let work: ServerWork
    let step: Plan.Step
    /// The steps that follow it.
    let later: ArraySlice<Plan.Step>
    let script: ServerScript
    let history: MigrationHistory

    /// - Returns: The losses that are declared, and how long it took.
    func run(
        _ claim: borrowing ServerClaim, _ connection: borrowing ServerConnection
    ) throws -> (losses: [LockstepError], duration: Duration) {
        let begun = Clock.monotonicMicroseconds
        var losses: [LockstepError] = []
        let started = try work.ledger.progress.all(connection).first {
            $0.unfinished.set == work.set.name && $0.unfinished.version == step.version
        }
        var last = started
        var next = started ?? beginning
        guard next.unfinished.statements <= script.statements.count else {
            throw script.origin.located(
                LockstepError(
                    .tampered, "the server says that more statements have run than there are",
                    hint: "somebody else than Lockstep has written it; look at the database"))
        }
        while next.unfinished.statements < script.statements.count {
            let statement = script.statements[next.unfinished.statements]
            try JobProgress(step, of: work.set.name, line: statement.line)
                .report(to: work.progress)
            if let outside = statement.outside {
                try runOutside(statement, outside, &next, &last, claim, connection)
                try note(next.after, &last, claim, connection)
            } else {
                try connection.transaction { connection in
                    try work.settle(connection)
                    losses += try work.runGuarded(script, one: statement, connection) { _ in }
                    try noteHere(next.after, last, claim, connection)
                }
                last = next.after
            }
            next = next.after
        }
        let duration = Clock.time(since: begun)
        try work.observe(.recording)
        try connection.transaction { connection in
            try work.settle(connection)
            try claim.requireHeld()
            try work.requireNamed(script, later, connection)
            if last != nil { try work.ledger.progress.erase(next.unfinished, connection) }
            try work.record(step, after: history, duration: duration, connection)
            try work.observe(.committing)
        }
        return (losses, duration)
    }

    /// Before the first statement.
    private var beginning: ServerProgress {
        let (checksums, down) =
            switch step {
            case .up(let migration): (migration.checksums, migration.recordedDown)
            case .down(let entry, _): (entry.checksums, entry.down)
            case .abandon(let unfinished, _): (unfinished.checksums, unfinished.down)
            }
        return ServerProgress(
            unfinished: UnfinishedMigration(
                set: work.set.name, version: step.version, name: step.name, isUp: step.isUp,
                startedAt: Clock.microsecondsSinceEpoch, checksums: checksums, down: down,
                statements: 0), hasBegun: false)
    }

    private func note(
        _ progress: ServerProgress, _ last: inout ServerProgress?,
        _ claim: borrowing ServerClaim, _ connection: borrowing ServerConnection
    ) throws {
        let before = last
        try connection.transaction { connection in
            try work.settle(connection)
            try noteHere(progress, before, claim, connection)
        }
        last = progress
    }

    private func noteHere(
        _ progress: ServerProgress, _ last: ServerProgress?, _ claim: borrowing ServerClaim,
        _ connection: borrowing ServerConnection
    ) throws {
        try claim.requireHeld()
        try work.ledger.progress.note(progress, after: last, connection)
    }

    // MARK: Outside a transaction

    private func runOutside(
        _ statement: ServerScript.Statement, _ outside: NontransactionalWork,
        _ next: inout ServerProgress, _ last: inout ServerProgress?,
        _ claim: borrowing ServerClaim, _ connection: borrowing ServerConnection
    ) throws {
        try restorePath(connection)
        let wasBegun = next.hasBegun
        switch outside {
        case .createIndex(let name, let table):
            try ConcurrentIndex.dropInvalid(name, on: table, connection)
            // One that is there without having been begun makes the statement fail.
            let state = try ConcurrentIndex.state(name, on: table, connection).state
            if state == .valid {
                guard !wasBegun else { return }
            } else {
                try begin(&next, &last, claim, connection)
            }
            do {
                try execute(statement, connection)
            } catch {
                if !connection.session.isLost {
                    try ConcurrentIndex.dropInvalid(name, on: table, connection)
                }
                throw error
            }
        case .dropIndex(let name):
            guard try ConcurrentIndex.exists(name, connection) else {
                if !wasBegun { try execute(statement, connection) }
                return
            }
            try begin(&next, &last, claim, connection)
            try execute(statement, connection)
        case .reindex(let name):
            try ConcurrentIndex.dropRemains(of: name, connection)
            do {
                try execute(statement, connection)
            } catch {
                if !connection.session.isLost {
                    try ConcurrentIndex.dropRemains(of: name, connection)
                }
                throw error
            }
        case .vacuum: try execute(statement, connection)
        }
    }

    /// The statement waits for others as long as the run may, whatever the role has set: one that begins again after a second
    /// would never get its turn after long transactions. What is set for a session outside a transaction would reach other
    /// clients of a pooler: there the role's own limit holds.
    private func execute(_ statement: ServerScript.Statement, _ connection: borrowing ServerConnection) throws {
        try work.observe(.statement(line: statement.line))
        guard connection.session.pooler == nil else { return try work.run(statement, of: script, connection) }
        let before: String? = try connection.value("SELECT pg_catalog.current_setting('lock_timeout')")
        func limitWait(_ time: String) throws {
            try connection.execute("SELECT pg_catalog.set_config('lock_timeout', \(time), false)")
        }
        // Zero would be no limit.
        try limitWait("\(min(max(work.timeout.wholeMicroseconds / 1000, 1), Int64(Int32.max)))")
        do {
            try work.run(statement, of: script, connection)
        } catch {
            if !connection.session.isLost { try limitWait(before ?? "0") }
            throw error
        }
        try limitWait(before ?? "0")
    }

    /// Notes that the next statement is begun.
    private func begin(
        _ next: inout ServerProgress, _ last: inout ServerProgress?,
        _ claim: borrowing ServerClaim, _ connection: borrowing ServerConnection
    ) throws {
        guard !next.hasBegun else { return }
        next.hasBegun = true
        try note(next, &last, claim, connection)
    }

    /// A version before may have set another search path, which a statement outside a transaction would find.
    private func restorePath(_ connection: borrowing ServerConnection) throws {
        let now: String? = try connection.value(
            "SELECT pg_catalog.current_setting('search_path')")
        guard now != work.path else { return }
        try connection.execute(
            "SELECT pg_catalog.set_config('search_path', \(work.path), false)")
    }
}

extension ServerProgress {
    /// When the next statement has run.
    fileprivate var after: ServerProgress {
        let one = unfinished
        return ServerProgress(
            unfinished: UnfinishedMigration(
                set: one.set, version: one.version, name: one.name, isUp: one.isUp, startedAt: one.startedAt,
                checksums: one.checksums, down: one.down, statements: one.statements + 1), hasBegun: false)
    }
}
