internal import Synchronization

/// A task's use of a pooled connection on the thread that the task is running on.
final class ConnectionLease: Sendable {
    private let pooled: PooledConnection
    private let isCancelled = Atomic<Bool>(false)

    init(_ pooled: PooledConnection) { self.pooled = pooled }

    func run<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        do {
            return try pooled.use(for: self) { connection in
                guard !isCancelled.load(ordering: .acquiring) else { throw CancellationError() }
                return try body(connection)
            }
        } catch {
            throw isCancelled.load(ordering: .acquiring) ? CancellationError() : error
        }
    }

    /// Interrupts the use, or prevents it from starting. Any thread can call this.
    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        pooled.interrupt(self)
    }
}

/// An asynchronous call on a store: waits for a pooled connection, runs on its thread, resumes the task.
// Sendable by this proof: `state` is touched only while the lock is held, and the continuation is resumed once,
// by the caller that takes it out.
final class PendingCall<Value: Sendable>: ConnectionQueue.Caller, @unchecked Sendable {
    /// The work on the pooled connection's thread. It gives the pooled connection back and eventually finishes
    /// the call.
    typealias Work = @Sendable (PendingCall<Value>, PooledConnection) -> Void

    @safe
    private struct State {
        var continuation: UnsafeContinuation<Value, any Error>?
        var use: ConnectionLease?
        var isCancelled = false
    }

    private let queue: ConnectionQueue
    private let work: Work
    private let lock = WaitCondition()
    private var state = State()

    init(_ queue: ConnectionQueue, _ work: @escaping Work) {
        self.queue = queue
        self.work = work
    }

    /// A call that has the connection to itself while `body` runs, and finishes when `body` returns.
    convenience init(
        _ queue: ConnectionQueue,
        running body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) {
        self.init(queue) { call, pooled in
            let result = Result { try call.use(pooled, body) }
            queue.giveBack(pooled)
            call.finish(result)
        }
    }

    /// Waits for the outcome. Cancelling the task withdraws or interrupts the call.
    /// - Parameters:
    ///   - alone: Whether it needs a pooled connection without an open transaction.
    ///   - mayRunHere: Whether it may use the calling thread, one of Swift's.
    func outcome(alone: Bool = false, mayRunHere: Bool = false) async throws -> Value {
        try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation { continuation in
                let isCancelled = lock.locked {
                    unsafe state.continuation = unsafe continuation
                    return state.isCancelled
                }
                if isCancelled {
                    finish(.failure(CancellationError()))
                } else {
                    if mayRunHere, queue.runHere(self) { return }
                    enqueue(alone: alone)
                }
            }
        } onCancel: {
            cancel()
        }
    }

    func run(on pooled: PooledConnection) { work(self, pooled) }

    func refuse(_ error: any Error) { finish(.failure(error)) }

    /// Runs `body` with the pooled connection so that cancelling interrupts it.
    func use<Result>(
        _ pooled: PooledConnection, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let use = ConnectionLease(pooled)
        let isCancelled = lock.locked {
            state.use = use
            return state.isCancelled
        }
        guard !isCancelled else { throw CancellationError() }
        return try use.run(body)
    }

    /// Resumes the task, once.
    func finish(_ result: Result<Value, any Error>) {
        let continuation = unsafe lock.locked {
            defer { unsafe state.continuation = nil }
            return unsafe state.continuation
        }
        unsafe continuation?.resume(with: result)
    }

    private func enqueue(alone: Bool) {
        queue.run(self, alone: alone)
        // The call can be cancelled after the check above and before it is in the queue.
        if lock.locked({ state.isCancelled }), queue.withdraw(self) {
            finish(.failure(CancellationError()))
        }
    }

    private func cancel() {
        let use = lock.locked {
            state.isCancelled = true
            return state.use
        }
        if let use {
            use.cancel()
        } else if queue.withdraw(self) {
            finish(.failure(CancellationError()))
        }
    }
}
