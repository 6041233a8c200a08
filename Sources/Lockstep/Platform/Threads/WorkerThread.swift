internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A dedicated thread that runs jobs one after another, for work that waits for disks and locks: Swift's few
/// cooperative threads must not wait.
///
/// It starts with the first job. When the object is deallocated, it ends after the submitted jobs, and the process does
/// not end before it: see ``EndingThreads``.
final class WorkerThread: Sendable {
    typealias Job = @Sendable () -> Void

    private let inbox = Inbox()

    deinit { end() }

    /// Ends the thread after the submitted jobs. A thread that waits for a job calls it before going on: the job itself can
    /// hold the last reference to this object, and the process could then end before the thread is asked to.
    func end() { inbox.end() }

    /// Runs `job` on the thread, after the jobs submitted before it.
    /// - Throws: ``LockstepError/Code/inputOutput`` if the system has no thread left.
    func submit(_ job: @escaping Job) throws(LockstepError) { try inbox.submit(job) }

    /// Whether the calling thread is this one.
    var isCurrent: Bool { inbox.isCurrent }
}

private final class Inbox: Sendable {
    private struct State {
        var jobs: [WorkerThread.Job] = []
        var isRunning = false
        var isWaiting = false
        var hasEnded = false
    }

    private let state = Monitor(State())
    /// The thread, once it runs.
    private let thread = Atomic<UInt>(0)

    var isCurrent: Bool { thread.load(ordering: .relaxed) == ThreadIdentity.current }

    func submit(_ job: @escaping WorkerThread.Job) throws(LockstepError) {
        let isWaiting = try state.locked { state throws(LockstepError) in
            if !state.isRunning { try start() }
            state.isRunning = true
            state.jobs.append(job)
            return state.isWaiting
        }
        if isWaiting { state.signal() }
    }

    func end() {
        state.locked { state in
            if state.isRunning, !state.hasEnded { EndingThreads.begin() }
            state.hasEnded = true
        }
        state.signal()
    }

    /// Called while the lock is held.
    private func start() throws(LockstepError) {
        let context = unsafe Unmanaged.passRetained(self)
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                #if canImport(Darwin)
                let inbox = unsafe Unmanaged<Inbox>.fromOpaque(context).takeRetainedValue()
                #else
                guard let context = unsafe context else { return nil }
                let inbox = unsafe Unmanaged<Inbox>.fromOpaque(context).takeRetainedValue()
                #endif
                inbox.work()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            unsafe context.release()
            throw LockstepError(
                .inputOutput, "the system cannot create another thread (error \(code))",
                hint: "raise the limit on threads, or use fewer stores at once")
        }
        #if canImport(Darwin)
        if let thread = unsafe thread { unsafe pthread_detach(thread) }
        #else
        pthread_detach(thread)
        #endif
    }

    private func work() {
        thread.store(ThreadIdentity.current, ordering: .relaxed)
        while let batch = next() {
            for job in batch { job() }
        }
        EndingThreads.end()
    }

    /// The waiting jobs, as soon as there are any; nil at the end.
    private func next() -> [WorkerThread.Job]? {
        let jobs = state.wait { state -> [WorkerThread.Job]? in
            state.isWaiting = state.jobs.isEmpty && !state.hasEnded
            guard !state.isWaiting else { return nil }
            defer { state.jobs = [] }
            return state.jobs
        }
        return jobs.isEmpty ? nil : jobs
    }
}

/// Content that is handed over to another thread, which then owns it: a job that captured the content directly would
/// keep it until some time after the job ends.
final class Transfer<Content: Sendable>: Sendable {
    private let content: Mutex<Content?>

    init(_ content: Content) { self.content = Mutex(content) }

    /// The content on the first call; nil afterwards.
    func take() -> Content? { content.withLock { $0.take() } }
}
