internal import Synchronization

/// The use of a seat by a task on the thread that it is running on.
final class SeatUse: Sendable {
    private let seat: Seat
    private let isCancelled = Atomic<Bool>(false)

    init(_ seat: Seat) { self.seat = seat }

    func run<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        do {
            return try seat.use(for: self) { connection in
                guard !isCancelled.load(ordering: .acquiring) else { throw CancellationError() }
                return try body(connection)
            }
        } catch {
            throw isCancelled.load(ordering: .acquiring) ? CancellationError() : error
        }
    }

    /// Interrupts the use, or keeps it from beginning. Any thread may call this.
    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        seat.interrupt(self)
    }
}

/// An asynchronous call on a store: waits for a seat, runs on its thread, resumes the task.
// Sendable by this proof: `state` is touched only while the lock is held, and the continuation is resumed once,
// by whoever takes it out.
final class Call<Value: Sendable>: SeatQueue.Caller, @unchecked Sendable {
    /// What is done on the seat's thread. It gives the seat back and, sooner or later, finishes the call.
    typealias Work = @Sendable (Call<Value>, Seat) -> Void

    @safe
    private struct State {
        var continuation: UnsafeContinuation<Value, any Error>?
        var use: SeatUse?
        var isCancelled = false
    }

    private let queue: SeatQueue
    private let work: Work
    private let lock = Condition()
    private var state = State()

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
    /// - Parameters:
    ///   - alone: Whether it wants a seat on which nothing has begun.
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

    func run(on seat: Seat) { work(self, seat) }

    func refuse(_ error: any Error) { finish(.failure(error)) }

    /// Runs `body` with the seat's connection so that cancelling interrupts it.
    func use<Result>(
        _ seat: Seat, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let use = SeatUse(seat)
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
        // It may have been cancelled after the look above and before it was there to be withdrawn.
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
