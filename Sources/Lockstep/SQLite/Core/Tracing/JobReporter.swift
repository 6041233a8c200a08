/// Reports a job's progress to the program, and keeps the error with which the program stopped it: parts of a job take
/// errors for their own failures.
// Sendable by this proof: only the thread of the job uses it. A progress handler is called on the thread that runs the
// statement or waits for the lock.
final class JobReporter: @unchecked Sendable {
    private let progress: JobProgress.Handler
    private var last: JobProgress?
    private var ticker = Ticker()
    private(set) var stop: (any Error)?

    init(_ progress: @escaping JobProgress.Handler) { self.progress = progress }

    func report(_ news: JobProgress) throws {
        last = news
        try repeatLast()
    }

    /// Reports again while there is no news, so that the program can stop the job.
    func repeatLast() throws {
        do {
            if let last { try last.report(to: progress) } else { try Task.checkCancellation() }
        } catch {
            stop = stop ?? error
            throw error
        }
    }

    /// Reports a phase that cannot be stopped: errors of the program are ignored.
    func announce(_ news: JobProgress) { try? progress(news) }

    /// Within a statement: lets the program stop the job several times per second. Returns whether to continue.
    func shouldContinue() -> Bool {
        guard stop == nil else { return false }
        guard Task.isCancelled || ticker.isDue() else { return true }
        do {
            try repeatLast()
            return true
        } catch {
            return false
        }
    }

    /// The error of a job that failed with `error`. If a statement was interrupted, this is the error with which the
    /// program stopped the job, unless it only says the same: the statement's error names the line.
    func reason(for error: any Error) -> any Error {
        guard (error as? LockstepError)?.code == .interrupted, let stop, (stop as? LockstepError)?.code != .interrupted
        else { return error }
        return stop
    }

    /// Calls `body` with a reporter, and gives its errors their reason.
    static func run<Report>(
        _ progress: JobProgress.Handler, _ body: (JobReporter) throws -> Report
    ) throws -> Report {
        try withoutActuallyEscaping(progress) { progress in
            let reporter = JobReporter(progress)
            do {
                return try body(reporter)
            } catch {
                throw reporter.reason(for: error)
            }
        }
    }
}

/// Limits how often a job calls the program while there is no news: often enough to stop it by hand, and rarely enough
/// to cost nothing.
struct Ticker {
    /// In microseconds.
    private static let interval: Int64 = 50_000
    private var last: Int64 = 0

    /// Whether the interval has passed since this was last true.
    mutating func isDue() -> Bool {
        let now = Clock.monotonicMicroseconds
        guard now - last > Self.interval else { return false }
        last = now
        return true
    }
}
