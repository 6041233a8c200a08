/// A change of a column's cells as a part of a migration: where it stands in this run. How far its rows have come
/// stands in the column registry, and a run after a kill finds out from there.
struct SealingRun {
    private enum Stage {
        case beginning
        case rows(done: Int, total: Int)
        /// What was there before has to go from the file, outside any transaction.
        case cleaning
        case ending
    }

    private var stage = Stage.beginning
    private var ahead: SealingPrefetch?
    private var change: SealingChange?

    /// Takes the next step, in the transaction that is open. True if it was the last.
    mutating func advance(
        _ sealing: SealingDirective, _ place: String, _ connection: borrowing Connection,
        checked: (() throws -> Void) throws -> Void, tell: (MigrationEvent) throws -> Void
    ) throws -> Bool {
        do {
            return try connection.with(rights: .engine) {
                try step(sealing, connection, checked: checked, tell: tell)
            }
        } catch let error as LockstepError {
            let hint =
                error.code == .interrupted
                ? ScriptText.afterInterruption
                : "mend what it names, then run the migration again: rows that are done stay so"
            throw error.located(place, hint: error.hint ?? hint)
        }
    }

    private mutating func step(
        _ sealing: SealingDirective, _ connection: borrowing Connection,
        checked: (() throws -> Void) throws -> Void, tell: (MigrationEvent) throws -> Void
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
            let batch = try sealing.change.runBatch(sealing.batch, keys, connection, ahead)
            let done = before + batch.rows
            stage = batch.isLast ? .cleaning : .rows(done: done, total: total)
            let news = MigrationEvent.backfilled(
                table: sealing.change.title, rows: done, total: max(total, done))
            try ahead?.watch(connection) { try tell(news) } ?? tell(news)
        case .cleaning, .ending:
            var isOver = false
            try checked { isOver = try sealing.change.finish(keys, connection) }
            stage = .rows(done: 0, total: 0)
            return isOver
        }
        return false
    }

    /// Runs what cannot run in a transaction, before one is begun.
    mutating func cleanIfDue(_ title: String, _ connection: borrowing Connection) throws {
        guard case .cleaning = stage, let change else { return }
        ahead?.close()
        do {
            try change.clean(connection)
        } catch let error as LockstepError {
            throw error.located(title)
        }
        stage = .ending
    }
}
