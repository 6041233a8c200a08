/// A thread for a job that blocks, since Swift's few threads must not wait. The job stays part of its task: cancelling
/// the task stops it.
final class JobThread: TaskExecutor {
    private let thread = WorkerThread()

    /// Runs `job` in the current task, on a new thread.
    @concurrent
    static func run<Report: Sendable>(_ job: () throws -> Report) async throws -> Report {
        try await withTaskExecutorPreference(JobThread()) { try job() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let work: WorkerThread.Job = { [self] in
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
        // If the system has no thread left, the job uses the caller's.
        do { try thread.submit(work) } catch { work() }
    }
}
