import Lockstep

/// Shows on a terminal what a migration is doing, and the time left where it counts rows.
final class MigrationProgressLine {
    private var line = ProgressLine()
    private var place = ""
    private var start: (table: String, time: ContinuousClock.Instant, rows: Int)?

    func show(_ event: MigrationEvent) {
        switch event {
        case .waiting(let file):
            line.end()
            Output.note("\(file): waiting for another connection's write lock")
        case .began(let set, let version, let isUp):
            place = "\(isUp ? "up" : "down") \(set) \(version)"
            line.show(place, always: true)
        case .repeating(let set, let name):
            place = "again \(set) \(name)"
            line.show(place, always: true)
        case .statement(_, let number): line.show("\(place): line \(number)")
        case .rebuilding(let table, let step): line.show("\(place): rebuild of \(table), \(step)")
        case .backfilled(let table, let rows, let total):
            line.show(
                "\(place): \(table), \(rows) of \(counted(total, "row"))\(timeLeft(table, rows, total))"
            )
        case .committed, .repeated: line.end()
        case .checked, .recorded, .advanced, .tolerated: break
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
