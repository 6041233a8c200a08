internal import Synchronization

/// Collects the outcomes and the progress of checks that run on separate threads. One thread waits here,
/// and only that thread calls the program.
// Sendable by this proof: every variable property is accessed only while `changed` is locked.
final class CheckCoordinator: @unchecked Sendable {
    private let changed = WaitCondition()
    private let cancelled = Atomic<Bool>(false)
    private var outcomes: [VerificationReport.Outcome] = []
    private var news: [JobProgress] = []
    private var failure: (any Error)?
    private var running = 0
    private var ticker = Ticker()
    private var threads: [WorkerThread] = []

    /// Whether running checks must stop.
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Runs a job of one or more checks on a separate thread.
    /// - Throws: ``LockstepError/Code/inputOutput`` if the system has no thread left.
    func start(_ job: @escaping @Sendable () throws -> Void) throws(LockstepError) {
        let thread = WorkerThread()
        let transfer = Transfer(job)
        changed.locked {
            running += 1
            threads.append(thread)
        }
        do throws(LockstepError) {
            try thread.submit { [self] in
                perform(transfer)
                leave()
            }
        } catch {
            leave()
            throw error
        }
    }

    /// The values that the job captures, keys among them, are released when this returns.
    private func perform(_ job: Transfer<@Sendable () throws -> Void>) {
        do { try job.take()?() } catch { fail(error) }
    }

    /// Ends everything with this error, unless an earlier error did.
    func fail(_ error: any Error) {
        changed.locked { failure = failure ?? error }
        cancelled.store(true, ordering: .relaxed)
    }

    private func leave() {
        changed.locked { running -= 1 }
        changed.signal()
    }

    // MARK: For checks

    /// Runs a check and adds its outcome.
    func run(_ check: VerificationReport.Check, _ body: () throws -> CheckResult) throws {
        report(JobProgress(check.phase))
        let outcome = try VerificationReport.Outcome.of(check, body)
        guard !isCancelled else {
            throw LockstepError(.interrupted, "the verification was stopped")
        }
        add(outcome)
    }

    func add(_ outcome: VerificationReport.Outcome) {
        changed.locked { outcomes.append(outcome) }
        report(JobProgress(outcome.check.phase, hasEnded: true))
    }

    func report(_ progress: JobProgress) {
        changed.locked {
            // Only the newest progress of a check counts.
            if news.last?.phase == progress.phase { news.removeLast() }
            news.append(progress)
        }
        changed.signal()
    }

    /// Wakes the waiting thread from time to time, and returns whether to continue.
    func shouldContinue() -> Bool {
        if changed.locked({ ticker.isDue() }) { changed.signal() }
        return !isCancelled
    }

    // MARK: For the waiting thread

    /// Passes the checks' progress on.
    func relay(_ report: JobProgress.Handler) throws {
        let pending = changed.locked { () -> [JobProgress] in
            defer { news = [] }
            return news
        }
        for piece in pending { try report(piece) }
    }

    /// Waits for all checks, passes their progress on, and hands over their outcomes. When it returns or throws,
    /// no check runs any more, and others can start.
    func finish(_ reporter: JobReporter) throws -> [VerificationReport.Outcome] {
        while waitForNews() {
            guard !isCancelled else { continue }
            do {
                try relay(reporter.report)
                try reporter.repeatLast()
            } catch {
                fail(error)
            }
        }
        if let failure = changed.locked({ failure }) { throw failure }
        return changed.locked {
            defer { (outcomes, news) = ([], []) }
            return outcomes
        }
    }

    /// Waits until there is news or a moment has passed; false once no check runs any more.
    private func waitForNews() -> Bool {
        changed.locked {
            if running > 0, news.isEmpty || isCancelled { changed.wait() }
            return running > 0
        }
    }
}
