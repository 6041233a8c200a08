internal import Synchronization

/// Where checks that run on threads of their own bring their outcomes, and tell how far they are. One thread
/// waits at it: only on that one the program is called.
// Sendable by this proof: every property but the atomic one is touched only while the lock is held.
final class CheckCoordinator: @unchecked Sendable {
    private let changed = Condition()
    private let cancelled = Atomic<Bool>(false)
    private var outcomes: [VerificationReport.Outcome] = []
    private var news: [VerificationProgress] = []
    private var failure: (any Error)?
    private var running = 0
    private var lastTick: Int64 = 0
    private var threads: [WorkerThread] = []

    /// In microseconds: as often as somebody who looks on wants to see something new, or has to be heard.
    private static let tick: Int64 = 50_000

    /// Whether what runs shall stop.
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Runs checks one after another on a thread of its own.
    /// - Throws: ``LockstepError/Code/inputOutput`` if the system has no thread left.
    func start(
        _ job: @escaping @Sendable (CheckCoordinator) throws -> Void
    ) throws(LockstepError) {
        let thread = WorkerThread()
        let handover = Transfer(job)
        changed.locked {
            running += 1
            threads.append(thread)
        }
        do throws(LockstepError) {
            try thread.submit { [self] in
                perform(handover)
                leave()
            }
        } catch {
            leave()
            throw error
        }
    }

    /// What the job holds, keys among it, is gone when this returns.
    private func perform(_ job: Transfer<@Sendable (CheckCoordinator) throws -> Void>) {
        do { try job.take()?(self) } catch { fail(error) }
    }

    /// Ends everything with this error, unless another one came before it.
    func fail(_ error: any Error) {
        changed.locked { failure = failure ?? error }
        cancelled.store(true, ordering: .relaxed)
    }

    private func leave() {
        changed.locked { running -= 1 }
        changed.signal()
    }

    // MARK: For checks

    /// Runs a check and hands its outcome in.
    func run(_ check: VerificationReport.Check, _ body: () throws -> CheckResult) throws {
        tell(VerificationProgress(check: check))
        let outcome = try VerificationReport.Outcome.of(check, body)
        guard !isCancelled else {
            throw LockstepError(.interrupted, "the verification was given up")
        }
        add(outcome)
    }

    func add(_ outcome: VerificationReport.Outcome) {
        changed.locked { outcomes.append(outcome) }
        tell(VerificationProgress(check: outcome.check, isDone: true))
    }

    func tell(_ progress: VerificationProgress) {
        changed.locked {
            // Of one check only the newest counts.
            if news.last?.check == progress.check { news.removeLast() }
            news.append(progress)
        }
        changed.signal()
    }

    /// Lets the waiting thread look up now and then, and says whether to go on.
    func goOn() -> Bool {
        let now = Clock.monotonicMicroseconds
        let isDue = changed.locked {
            guard now - lastTick > Self.tick else { return false }
            lastTick = now
            return true
        }
        if isDue { changed.signal() }
        return !isCancelled
    }

    // MARK: For the thread that waits

    /// Passes on what checks have told.
    func relay(_ tell: (VerificationProgress) throws -> Void) throws {
        let told = changed.locked { () -> [VerificationProgress] in
            defer { news = [] }
            return news
        }
        for piece in told { try tell(piece) }
    }

    /// Waits for all checks, passes on what they tell, and gives their outcomes. When it returns or throws,
    /// none of them runs any more.
    func finish(_ teller: ProgressTeller) throws -> [VerificationReport.Outcome] {
        while waitForNews() {
            guard !isCancelled else { continue }
            do {
                try relay(teller.tell)
                try teller.repeatLast()
            } catch {
                fail(error)
            }
        }
        if let failure = changed.locked({ failure }) { throw failure }
        return changed.locked { outcomes }
    }

    /// Waits until something was told, or a moment has passed; false once nothing runs any more.
    private func waitForNews() -> Bool {
        changed.locked {
            if running > 0, news.isEmpty || isCancelled { changed.wait() }
            return running > 0
        }
    }
}
