/// The state of a sealing change in this run of a migration. The column registry stores the progress of the rows,
/// from which a run after a crash continues.
struct SealingRun {
    private enum Stage {
        case beginning
        case rows(SealingPass, done: Int, total: Int)
        /// Removes the old content from the file, outside any transaction.
        case cleaning(SealingPass)
        case ending(SealingPass)
    }

    private var stage = Stage.beginning
    /// Whether a transaction of the change has run.
    var hasBegun: Bool {
        if case .beginning = stage { false } else { true }
    }

    private var change: SealingChange?

    /// Runs the next step in the open transaction. True if it was the last one.
    mutating func advance(
        _ sealing: SealingDirective, _ origin: ScriptOrigin, line: Int,
        _ connection: borrowing Connection,
        checked: (() throws -> Void) throws -> Void, report: (MigrationEvent) throws -> Void
    ) throws -> Bool {
        do {
            return try connection.with(rights: .engine) {
                try step(sealing, connection, checked: checked, report: report)
            }
        } catch let error as LockstepError {
            let hint =
                error.code == .interrupted
                ? ScriptText.afterInterruption
                : "fix the reported problem, then run the migration again: completed rows stay done"
            throw origin.located(error.adding(sealing.change.context), line: line, advice: error.advice ?? .init(hint))
        }
    }

    private mutating func step(
        _ sealing: SealingDirective, _ connection: borrowing Connection,
        checked: (() throws -> Void) throws -> Void, report: (MigrationEvent) throws -> Void
    ) throws -> Bool {
        let keys = try sealing.keys(connection)
        change = sealing.change
        switch stage {
        case .beginning:
            var beginning = SealingChange.Beginning.done
            try checked { beginning = try sealing.change.begin(keys, connection) }
            guard case .rows(let total) = beginning else { return true }
            let pass = SealingPass(sealing.change, keys, connection)
            stage = .rows(pass, done: 0, total: total)
        case .rows(let pass, let before, let total):
            let batch = try sealing.change.runBatch(keys, connection, pass)
            let done = batch.isFirst ? batch.rows : before + batch.rows
            stage = batch.isLast ? .cleaning(pass) : .rows(pass, done: done, total: total)
            let news = MigrationEvent.backfilled(table: sealing.change.title, rows: done, total: max(total, done))
            try pass.ahead?.watch(connection) { try report(news) } ?? report(news)
        case .cleaning(let pass), .ending(let pass):
            var isOver = false
            try checked { isOver = try sealing.change.finish(keys, connection, pass) }
            stage = .rows(pass, done: 0, total: 0)
            return isOver
        }
        return false
    }

    /// Runs the part that cannot run in a transaction, before a transaction begins.
    mutating func prepare(_ origin: ScriptOrigin, _ connection: borrowing Connection) throws {
        if case .rows(let pass, _, _) = stage { pass.ahead?.wait() }
        guard case .cleaning(let pass) = stage, let change else { return }
        pass.ahead?.close()
        do {
            try change.clean(connection)
        } catch let error as LockstepError {
            throw origin.located(error.adding(change.context))
        }
        stage = .ending(pass)
    }
}
