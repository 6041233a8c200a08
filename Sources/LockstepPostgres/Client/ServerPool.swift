internal import Lockstep
internal import Synchronization

/// Connections that tasks share, each on a thread of its own: waiting for a server must not hold up Swift's few
/// threads.
///
/// A task that asks for a connection when all are in use waits in order. A connection that was lost, or that is left in
/// a transaction, is not used again.
public final class ServerPool: Sendable {
    private struct Lease: Sendable {
        let session: ServerSession
        let thread: OneThread
    }

    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Lease?, any Error>
    }

    private struct State {
        var idle: [Lease] = []
        var open = 0
        var waiters: [Waiter] = []
        var nextWaiter = 0
        var isClosed = false
    }

    private let address: ServerAddress
    private let credentials: ServerCredentials
    private let options: ServerOptions
    private let maximum: Int
    private let state = Mutex(State())

    /// A pool, which connects when it is first used.
    /// - Parameters:
    ///   - address: Where the server is.
    ///   - credentials: What it is opened with.
    ///   - options: How each connection works.
    ///   - maximum: The largest number of connections, at least 1.
    public init(
        _ address: ServerAddress, _ credentials: ServerCredentials = .none,
        _ options: ServerOptions = ServerOptions(), maximum: Int = 8
    ) {
        self.address = address
        self.credentials = credentials
        self.options = options
        self.maximum = max(maximum, 1)
    }

    /// Runs `body` with a connection, on the connection's thread.
    /// - Throws: The errors of opening a connection and of `body`; `LockstepError.Code.closed` after ``close()``;
    ///   `CancellationError` if the task is cancelled while it waits for a connection.
    public func use<Output: Sendable>(
        _ body: @Sendable (borrowing ServerConnection) throws -> Output
    ) async throws -> Output {
        let lease = try await take()
        let outcome: Result<Output, any Error>
        do {
            outcome = .success(
                try await lease.thread.run { try body(ServerConnection(lease.session)) })
        } catch {
            outcome = .failure(error)
        }
        let isSound = !lease.session.isLost && !lease.session.isInTransaction
        give(lease, isSound: isSound)
        if case .success = outcome, !isSound, !lease.session.isLost {
            throw LockstepError(
                .misuse, "the work with a pooled connection left a transaction open, which is rolled back",
                hint: "use `transaction`")
        }
        return try outcome.get()
    }

    /// Closes the connections that are not in use, and the others as soon as they are not.
    public func close() {
        let (idle, waiters) = state.withLock { state in
            state.isClosed = true
            let left = (state.idle, state.waiters)
            state.open -= state.idle.count
            (state.idle, state.waiters) = ([], [])
            return left
        }
        _ = idle
        for waiter in waiters { waiter.continuation.resume(throwing: Self.closed) }
    }

    private static var closed: LockstepError {
        LockstepError(.closed, "the pool of connections was closed", hint: "make another pool")
    }

    // MARK: Leases

    private enum Next {
        case lease(Lease)
        case open
        case wait(Int)
        case closed
    }

    private func take() async throws -> Lease {
        try Task.checkCancellation()
        let next = state.withLock { state -> Next in
            if state.isClosed { return .closed }
            if let lease = state.idle.popLast() { return .lease(lease) }
            if state.open < maximum {
                state.open += 1
                return .open
            }
            state.nextWaiter += 1
            return .wait(state.nextWaiter)
        }
        switch next {
        case .closed: throw Self.closed
        case .lease(let lease): return lease
        case .open: return try await open()
        case .wait(let id):
            // Nil is the right to open one in place of a connection that was dropped.
            guard let lease = try await wait(id) else { return try await open() }
            return lease
        }
    }

    private func open() async throws -> Lease {
        let thread = OneThread()
        do {
            let session = try await thread.run {
                try ServerSession(self.address, self.credentials, self.options)
            }
            return Lease(session: session, thread: thread)
        } catch {
            passOn()
            throw error
        }
    }

    private func wait(_ id: Int) async throws -> Lease? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Answer {
                    case none, cancelled, closed, open
                    case lease(Lease)
                }
                let answer = state.withLock { state -> Answer in
                    if Task.isCancelled { return .cancelled }
                    if state.isClosed { return .closed }
                    // What came free since `take` looked.
                    if let lease = state.idle.popLast() { return .lease(lease) }
                    if state.open < maximum {
                        state.open += 1
                        return .open
                    }
                    state.waiters.append(Waiter(id: id, continuation: continuation))
                    return .none
                }
                switch answer {
                case .none: break
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .closed: continuation.resume(throwing: Self.closed)
                case .open: continuation.resume(returning: nil)
                case .lease(let lease): continuation.resume(returning: lease)
                }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let place = state.waiters.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.waiters.remove(at: place)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func give(_ lease: Lease, isSound: Bool) {
        guard isSound else { return passOn() }
        let waiter = state.withLock { state -> Waiter? in
            if state.isClosed {
                state.open -= 1
                return nil
            }
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.idle.append(lease)
            return nil
        }
        waiter?.continuation.resume(returning: lease)
    }

    /// Lets the first who waits open a connection in place of one that is gone.
    private func passOn() {
        let waiter = state.withLock { state -> Waiter? in
            guard !state.waiters.isEmpty, !state.isClosed else {
                state.open -= 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        waiter?.continuation.resume(returning: nil)
    }
}
