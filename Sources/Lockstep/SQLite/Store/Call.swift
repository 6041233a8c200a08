internal import Synchronization

/// An asynchronous call on a store: waits for a seat, runs on its thread, resumes the task.
final class Call<Value: Sendable>: SeatQueue.Caller {
    /// What is done on the seat's thread. It gives the seat back and, sooner or later, finishes the call.
    typealias Work = @Sendable (Call<Value>, Seat) -> Void

    // Sendable by this proof: the continuation is resumed once, by whoever takes it out under the lock.
    @safe
    private struct State: @unchecked Sendable {
        var continuation: UnsafeContinuation<Value, any Error>?
        var seat: Seat?
        var isCancelled = false
    }

    private let queue: SeatQueue
    private let work: Work
    private let state = Mutex(State())

    init(_ queue: SeatQueue, _ work: @escaping Work) {
        self.queue = queue
        self.work = work
    }

    /// A call that has the connection to itself while `body` runs, and is over then.
    convenience init(
        _ queue: SeatQueue, running body: @escaping @Sendable (borrowing Connection) throws -> Value
    ) {
        self.init(queue) { call, seat in
            let result = Result { try call.use(seat, body) }
            queue.giveBack(seat)
            call.finish(result)
        }
    }

    /// Waits for the outcome. Cancelling the task withdraws or interrupts the call.
    func outcome(alone: Bool = false) async throws -> Value {
        try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    unsafe state.continuation = unsafe continuation
                    return state.isCancelled
                }
                if isCancelled {
                    finish(.failure(CancellationError()))
                } else {
                    queue.run(self, alone: alone)
                }
            }
        } onCancel: {
            cancel()
        }
    }

    func run(on seat: Seat) { work(self, seat) }

    func refuse(_ error: any Error) { finish(.failure(error)) }

    /// Runs `body` with the seat's connection so that cancelling interrupts it.
    func use<Result>(
        _ seat: Seat, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let isCancelled = state.withLock { state in
            state.seat = seat
            return state.isCancelled
        }
        guard !isCancelled else { throw CancellationError() }
        do {
            return try seat.use(for: self, body)
        } catch {
            // What was interrupted because the task was cancelled failed for that reason.
            throw state.withLock { $0.isCancelled } ? CancellationError() : error
        }
    }

    /// Resumes the task, once.
    func finish(_ result: Result<Value, any Error>) {
        let continuation = unsafe state.withLock { state in
            defer { unsafe state.continuation = nil }
            return unsafe state.continuation
        }
        unsafe continuation?.resume(with: result)
    }

    private func cancel() {
        let seat = state.withLock { state in
            state.isCancelled = true
            return state.seat
        }
        if let seat {
            seat.interrupt(self)
        } else if queue.withdraw(self) {
            finish(.failure(CancellationError()))
        }
    }
}
