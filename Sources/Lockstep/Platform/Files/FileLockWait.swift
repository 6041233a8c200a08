internal import SystemPackage

/// How long a job waits for a lock that another program holds, and what it does meanwhile.
///
/// Programs that change the same keyring or replace the same database take turns, by locks on hidden files beside them.
/// The system ends the locks of a process with the process; the files stay, and mean nothing by themselves. Without a
/// wait of its own a job waits for ten seconds:
///
///     try FileLockWait(timeout: .seconds(60)) { log("\($0)") }.run {
///         try DatabaseKeyRotation(of: "films.db").run(&access)
///     }
///
/// It holds for everything that the closure calls on its own thread, or in its own task.
public struct FileLockWait: Sendable {
    /// After it, the job throws ``LockstepError/Code/locked``. Zero tries once.
    public var timeout: Duration
    /// Called once for each lock that takes longer than a second, with the lock and its holder as a phrase.
    public var report: @Sendable (String) -> Void
    /// Called about fifty times a second during a wait. An error that it throws ends the wait and the job, as does
    /// cancelling the task.
    public var shouldContinue: @Sendable () throws -> Void

    @TaskLocal static var current = FileLockWait()

    /// A wait of ten seconds, unless another is given.
    public init(
        timeout: Duration = .seconds(10), report: @escaping @Sendable (String) -> Void = { _ in },
        shouldContinue: @escaping @Sendable () throws -> Void = {}
    ) {
        (self.timeout, self.report, self.shouldContinue) = (timeout, report, shouldContinue)
    }

    /// Runs a job whose waits are like this one.
    /// - Throws: Any error from `body`.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: body)
    }

    /// Takes a lock.
    /// - Parameter order: Its place in the order of locks.
    /// - Throws: ``LockstepError/Code/locked`` after the timeout; `CancellationError`; any error from
    ///   ``shouldContinue``.
    func lock(
        _ path: FilePath, _ kind: FileLock.Kind = .exclusive, as order: LockOrder
    ) throws -> FileLock {
        let start = Clock.monotonicMicroseconds
        var isReported = false
        return try FileLock.wait(path, kind, as: order, timeout: timeout) { held in
            try Task.checkCancellation()
            try shouldContinue()
            guard !isReported, Clock.time(since: start) > .seconds(1) else { return }
            isReported = true
            report(held.message)
        }
    }
}

extension FileLock {
    /// Takes the lock, waiting up to `timeout` for its holder.
    /// - Parameters:
    ///   - order: The lock's place in the order of locks; nil for one that only its own job knows.
    ///   - creating: Whether to create the file if there is none.
    ///   - shouldContinue: Called about fifty times a second with the error that a wait would end with; an error that
    ///     it throws ends the wait.
    /// - Throws: ``LockstepError/Code/locked`` after the timeout.
    static func wait(
        _ path: FilePath, _ kind: Kind = .exclusive, as order: LockOrder? = nil,
        creating: Bool = true, timeout: Duration, shouldContinue: (LockstepError) throws -> Void
    ) throws -> FileLock {
        try order?.require(path)
        let deadline = Clock.monotonicMicroseconds + timeout.wholeMicroseconds
        // Most locks are held for a few milliseconds.
        var pause = 1
        while true {
            do {
                return try FileLock(path, kind, as: order, creating: creating)
            } catch let error as LockstepError where error.code == .locked {
                guard Clock.monotonicMicroseconds < deadline else { throw error }
                try shouldContinue(error)
            }
            Clock.pause(milliseconds: pause)
            pause = min(2 * pause, 20)
        }
    }
}
