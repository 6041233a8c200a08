/// Runs a script on a scratch database, without a ledger and without recording progress.
struct ScriptReplay {
    let script: MigrationScript
    let origin: ScriptOrigin
    /// Where it begins, if a part of it has run.
    var start = CompletedPart.Position()
    var observe: (MigrationEvent) throws -> Void = { _ in }
    /// Called for each statement that has run, with the line where it begins.
    var inspect: ((_ sql: String, _ line: Int) -> Void)?
    /// How the version is addressed in declarations, for hints.
    var address = Allowances()
    /// Whether the database has rows for its backfills.
    var hasRows = false

    /// Runs the script, each of its transactions under the checks.
    /// - Parameters:
    ///   - known: The knowledge of the scripts before it.
    ///   - report: Receives the errors that `allowances` permit.
    ///   - missing: Receives what lacks a declaration.
    ///   - shown: Receives what each transaction has done to each table, if `allowances` ask for it.
    ///   - judge: Called before a transaction commits; an error rolls it back.
    func run(
        _ allowances: Allowances, on connection: borrowing Connection, _ known: inout GuardCache?,
        report: (LockstepError) throws -> Void, missing: (LockstepError, Directive) throws -> Void = { _, _ in },
        shown: ([TableEffects]) throws -> Void = { _ in }, judge: () throws -> Void = {}
    ) throws {
        try run(connection) { body in
            let transaction = try Transaction(.immediate, on: connection)
            try MigrationTransaction.checked(
                origin, allowances, connection, &known, report: report, missing: missing, shown: shown, canRepeat: true,
                body)
            try judge()
            try transaction.commit()
        }
        if hasRows, !script.isOneTransaction { known = known?.stale }
    }

    /// - Parameter transaction: Runs its argument in a transaction; it can run it again, with true, after a rollback.
    func run(
        _ connection: borrowing Connection,
        transaction: ((Bool) throws -> Void) throws -> Void
    ) throws {
        try MigrationTransaction.withForeignKeys(off: script.needsForeignKeysOff, connection) {
            guard script.takesDoubleQuotedTexts else {
                return try runSegments(connection, transaction)
            }
            try connection.takingDoubleQuotedTexts { try runSegments(connection, transaction) }
        }
    }

    private func runSegments(
        _ connection: borrowing Connection, _ transaction: ((Bool) throws -> Void) throws -> Void
    ) throws {
        for (index, segment) in try script.segments(origin).enumerated().dropFirst(start.segment) {
            switch segment {
            case .transaction(let part):
                try transaction { isAgain in
                    var runner = ScriptRunner(script: part, origin: origin, observe: isAgain ? { _ in } : observe)
                    if !isAgain { runner.inspect = inspect }
                    runner.address = address
                    _ = try runner.run(connection)
                }
            case .backfill(let backfill) where hasRows:
                let cursor = index == start.segment ? start.cursor : .null
                try runBatches(of: backfill, after: cursor, connection, transaction)
                inspect?(backfill.sql, backfill.line)
            case .backfill(let backfill):
                // Without rows, only a check whether the backfill can run remains.
                try transaction { _ in
                    try backfill.check(origin, script.tablesAllowedToLoseRows, connection)
                }
                inspect?(backfill.sql, backfill.line)
            case .sealing where index == start.segment && start.isSealing: continue
            case .sealing(let sealing, let line):
                try changeShape(sealing, line, connection, transaction)
            case .bare(let sql, let line):
                var offset = 0
                if index == start.segment, case .integer(let end) = start.cursor {
                    offset = Int(clamping: end)
                }
                try runBare(sql, from: offset, line, connection, transaction)
            }
        }
    }

    /// Changes the schema as sealing does. Without rows, keys make no difference.
    private func changeShape(
        _ sealing: SealingDirective, _ line: Int, _ connection: borrowing Connection,
        _ transaction: ((Bool) throws -> Void) throws -> Void
    ) throws {
        do {
            if hasRows {
                let transaction = try Transaction(.immediate, on: connection)
                try connection.with(rights: .engine) {
                    try sealing.change.imitateCells(on: connection)
                }
                try transaction.commit()
            }
            try transaction { _ in
                try connection.with(rights: .engine) { try sealing.change.changeShape(connection) }
            }
        } catch let error as LockstepError {
            throw origin.located(error.adding(sealing.change.context), line: line)
        }
    }

    private func runBatches(
        of backfill: Backfill, after start: Value, _ connection: borrowing Connection,
        _ transaction: ((Bool) throws -> Void) throws -> Void
    ) throws {
        var cursor: Value? = start
        while let last = cursor {
            try transaction { _ in
                do {
                    connection.core.watch?.begins(line: backfill.line)
                    cursor = try backfill.runBatch(
                        after: last, allowed: script.tablesAllowedToLoseRows, on: connection)?.last
                } catch let error as LockstepError {
                    throw origin.located(error, line: backfill.line)
                }
            }
        }
    }

    private func runBare(
        _ sql: String, from offset: Int, _ line: Int, _ connection: borrowing Connection,
        _ transaction: ((Bool) throws -> Void) throws -> Void
    ) throws {
        var position = offset
        while var bare = try NontransactionalStatements(sql, from: position, line: line, segment: 0, origin) {
            if bare.runsAlone {
                try bare.runAlone(connection)
            } else {
                let first = bare
                try transaction { isAgain in
                    if isAgain { bare = first }
                    try bare.run(connection, isAgain ? { _ in } : observe)
                }
            }
            inspect?(bare.text, bare.line)
            position = bare.end
        }
    }
}
