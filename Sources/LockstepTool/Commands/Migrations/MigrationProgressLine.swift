import Lockstep

/// Shows on a terminal what a migration is doing, and the time left where it counts rows.
final class MigrationProgressLine {
    private var line = ProgressLine()
    private var start: (table: String, time: ContinuousClock.Instant, rows: Int)?

    func show(_ progress: JobProgress) {
        if progress.phase.isWait {
            line.end()
            let file = progress.phase.subject.map { "\($0): " } ?? ""
            return Output.note("\(file)waiting for another connection's write lock")
        }
        let place = progress.phase.description
        switch (progress.unit, progress.step, progress.total) {
        case _ where progress.hasEnded: line.end()
        case (_, nil, _): line.show(place, always: true)
        case (.rows, let table?, let total?):
            let rows = progress.done
            line.show("\(place): \(table), \(rows) of \(counted(total, "row"))\(timeLeft(table, rows, total))")
        case (_, let step?, _): line.show("\(place): \(step)")
        }
    }

    deinit { line.end() }

    private func timeLeft(_ table: String, _ rows: Int, _ total: Int) -> String {
        guard let start, start.table == table, rows > start.rows else {
            start = (table, .now, rows)
            return ""
        }
        let spent = ContinuousClock.now - start.time
        let left = spent * Double(total - rows) / Double(rows - start.rows)
        return spent > .seconds(2) ? ", about \(left.components.seconds + 1) s left" : ""
    }
}

extension JobProgress.Phase {
    /// Whether something waits for another connection's lock.
    var isWait: Bool { name == Self.waiting.name }  // exact: names of the source
}
