/// The state of a sealing change in this run of a migration. The column registry stores the progress of the rows,
/// from which a run after a crash continues.
struct SealingRun {
    private enum Stage {
        case beginning
        case rows(done: Int, total: Int)
        /// Removes the old content from the file, outside any transaction.
        case cleaning
        case ending
    }

    private var stage = Stage.beginning
    /// Whether a transaction of the change has run.
    var hasBegun: Bool {
        if case .beginning = stage { false } else { true }
    }

    private var ahead: SealingPrefetch?
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
            throw origin.located(
                error.adding(sealing.change.context), line: line,
                advice: error.advice ?? .init(hint))
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
            stage = .rows(done: 0, total: total)
            ahead = SealingPrefetch(sealing.change, keys, connection)
        case .rows(let before, let total):
            let batch = try sealing.change.runBatch(keys, connection, ahead)
            let done = before + batch.rows
            stage = batch.isLast ? .cleaning : .rows(done: done, total: total)
            let news = MigrationEvent.backfilled(
                table: sealing.change.title, rows: done, total: max(total, done))
            try ahead?.watch(connection) { try report(news) } ?? report(news)
        case .cleaning, .ending:
            var isOver = false
            try checked { isOver = try sealing.change.finish(keys, connection) }
            stage = .rows(done: 0, total: 0)
            return isOver
        }
        return false
    }

    /// Runs the part that cannot run in a transaction, before a transaction begins.
    mutating func cleanIfNeeded(_ origin: ScriptOrigin, _ connection: borrowing Connection) throws {
        guard case .cleaning = stage, let change else { return }
        ahead?.close()
        do {
            try change.clean(connection)
        } catch let error as LockstepError {
            throw origin.located(error.adding(change.context))
        }
        stage = .ending
    }
}
