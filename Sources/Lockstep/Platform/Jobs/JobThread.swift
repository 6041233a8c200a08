/// Runs work that blocks, in asynchronous code: on a thread of its own, since Swift's few threads must not wait.
///
///     let report = try await JobThread.run { try PlaintextExport(to: "plain.db").run(on: store) }
///
/// The work stays a part of its task: it has the task's values and priority, and cancelling the task stops it. Jobs
/// that run at once have a thread each.
public enum JobThread {
    /// Runs `work` in the current task, on a new thread, and returns when it has ended.
    ///
    /// Many small pieces of work are better done in one call: to begin a thread takes some microseconds. If the system
    /// has no thread left, the work runs on one of Swift's.
    /// - Parameter work: What blocks, such as the `run` of a job.
    /// - Throws: The error of `work`. Nothing else: a task that was cancelled before runs `work`, too, which finds that
    ///   out.
    @concurrent
    @discardableResult
    public static func run<Result: Sendable>(
        _ work: sending () throws -> Result
    ) async throws -> Result {
        let thread = OneThread()
        defer { thread.end() }
        return try await withTaskExecutorPreference(thread) { try work() }
    }
}

/// The executor that has a thread for one job, or for the jobs of one owner.
package final class OneThread: TaskExecutor {
    private let thread = WorkerThread()

    package init() {}

    /// Ends the thread after its jobs. No other may follow.
    func end() { thread.end() }

    /// Runs `work` in the current task, on this thread.
    @concurrent
    package func run<Result: Sendable>(_ work: () throws -> Result) async throws -> Result {
        try await withTaskExecutorPreference(self) { try work() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let work: WorkerThread.Job = { [self] in
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
        // If the system has no thread left, the job uses the caller's.
        do { try thread.submit(work) } catch { work() }
    }
}
