#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A dedicated thread that runs jobs one after another, for work that waits for disks and locks: Swift's few
/// cooperative threads must not wait.
///
/// It starts with the first job. When the object is deallocated, it ends after the submitted jobs.
final class WorkerThread: Sendable {
    typealias Job = @Sendable () -> Void

    private let inbox = Inbox()

    deinit { inbox.end() }

    /// Runs `job` on the thread, after the jobs submitted before it.
    /// - Throws: ``LockstepError/Code/inputOutput`` if the system has no thread left.
    func submit(_ job: @escaping Job) throws(LockstepError) { try inbox.submit(job) }
}

// Sendable by this proof: every property is accessed only while the condition's lock is held.
private final class Inbox: @unchecked Sendable {
    private let changed = Condition()
    private var jobs: [WorkerThread.Job] = []
    private var isRunning = false
    private var isWaiting = false
    private var hasEnded = false

    func submit(_ job: @escaping WorkerThread.Job) throws(LockstepError) {
        let outcome = changed.locked { () -> Result<Bool, LockstepError> in
            do throws(LockstepError) {
                if !isRunning { try start() }
            } catch {
                return .failure(error)
            }
            isRunning = true
            jobs.append(job)
            return .success(isWaiting)
        }
        if try outcome.get() { changed.signal() }
    }

    func end() {
        changed.locked { hasEnded = true }
        changed.signal()
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
        while let batch = next() {
            for job in batch { job() }
        }
    }

    /// The waiting jobs, as soon as there are any; nil at the end.
    private func next() -> [WorkerThread.Job]? {
        changed.locked {
            while jobs.isEmpty && !hasEnded {
                isWaiting = true
                changed.wait()
            }
            isWaiting = false
            guard !jobs.isEmpty else { return nil }
            defer { jobs = [] }
            return jobs
        }
    }
}

/// Content that is handed over to another thread, which then owns it: a job that captured the content directly would
/// keep it until some time after the job ends.
// Sendable by this proof: one thread stores the content before any other has access, and one thread takes it.
final class Transfer<Content>: @unchecked Sendable {
    private var content: Content?

    init(_ content: Content) { self.content = content }

    /// The content on the first call; nil afterwards.
    func take() -> Content? {
        defer { content = nil }
        return content
    }
}
