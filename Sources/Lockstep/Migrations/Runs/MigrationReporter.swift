/// Makes the progress of a migration run from its events.
final class MigrationReporter {
    private let progress: JobProgress.Handler
    private var phase = JobProgress.Phase.up
    private var last: JobProgress?
    /// Versions and repeatable migrations that are durable, and those that are planned.
    private var done = 0
    private var planned = 0

    init(_ progress: @escaping JobProgress.Handler) { self.progress = progress }

    func report(_ event: MigrationEvent) throws {
        switch event {
        case .planned(let versions): planned = done + versions
        // Not kept, so that it is reported once for each wait.
        case .waiting(let file): return try JobProgress(.waiting.of(file)).report(to: progress)
        case .began(let set, let version, let isUp):
            begin((isUp ? JobProgress.Phase.up : .down).of("\(set) \(version)"))
        case .repeating(let set, let name): begin(.again.of("\(set) \(name)"))
        case .statement(_, let line): advance("line \(line)")
        case .rebuilding(let table, let step): advance("rebuild of \(table), \(step)")
        case .backfilled(let table, let rows, let total):
            last = JobProgress(phase, step: table, rows, of: total, .rows, hasEnded: false)
        case .committed, .repeated:
            done += 1
            advance(nil, hasEnded: true)
        // Reported again, so that the program can stop the run.
        case .checked, .recorded, .advanced, .tolerated, .compared: break
        }
        try last?.report(to: progress)
    }

    private func begin(_ next: JobProgress.Phase) {
        phase = next
        advance(nil)
    }

    private func advance(_ step: String?, hasEnded: Bool = false) {
        last = JobProgress(phase, step: step, done, of: max(planned, done), .steps, hasEnded: hasEnded)
    }
}

extension JobProgress.Phase {
    /// A version is applied. The subject is its set and number.
    public static let up = Self("up")
    /// A version is undone. The subject is its set and number.
    public static let down = Self("down")
    /// A repeatable migration runs. The subject is its set and name.
    public static let again = Self("again")
    /// A migration waits for another connection's write lock, and the subject is its file; or a safe migration waits
    /// for another one of the same database.
    public static let waiting = Self("waiting")
}
