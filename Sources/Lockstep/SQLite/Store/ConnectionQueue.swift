internal import Synchronization

/// Gives a store's pooled connections to those who ask, in the order of asking.
// Sendable by this proof: every property but the constant ones is touched only while the lock is held.
final class ConnectionQueue: @unchecked Sendable {
    /// An asynchronous call that waits for a pooled connection.
    protocol Caller: AnyObject, Sendable {
        /// Runs on the pooled connection's thread, and gives the pooled connection back.
        func run(on pooled: PooledConnection)
        /// There will be no pooled connection.
        func refuse(_ error: any Error)
    }

    private struct Waiter {
        enum Kind {
            case thread(Ticket)
            case call(any Caller)
        }
        let kind: Kind
        /// Whether it wants a pooled connection on which nothing has begun.
        let isAlone: Bool
    }

    /// What a waiting thread is handed.
    // Sendable by this proof: `pooled connection` is touched only while the condition's lock is held.
    final class Ticket: @unchecked Sendable {
        private let given = Condition()
        private var pooled: PooledConnection?

        fileprivate func give(_ pooled: PooledConnection) {
            given.locked { self.pooled = pooled }
            given.signal()
        }

        func wait() -> PooledConnection {
            given.locked {
                while true {
                    if let pooled { return pooled }
                    given.wait()
                }
            }
        }
    }

    let connections: [PooledConnection]
    private let lock = Condition()
    private var idle: [PooledConnection]
    private var waiters = Fifo<Waiter>()
    private var isClosed = false
    private var closers: [@Sendable () -> Void] = []

    init(_ connections: [PooledConnection]) {
        self.connections = connections
        idle = connections.reversed()
    }

    // MARK: Asking

    /// Waits for a pooled connection.
    func take(alone: Bool = false) throws(LockstepError) -> PooledConnection {
        let ticket = Ticket()
        let pooled: Result<PooledConnection?, LockstepError> = lock.locked {
            guard !isClosed else { return .failure(Self.closed) }
            if let pooled = idle.popLast() { return .success(pooled) }
            waiters.append(Waiter(kind: .thread(ticket), isAlone: alone))
            return .success(nil)
        }
        return try pooled.get() ?? ticket.wait()
    }

    /// Has a member of a lost group wait for a turn of its own. It was there before the queue was closed, if
    /// it is; called while the pooled connection is held, so that closing waits for it.
    func enqueueAgain(_ call: any Caller) {
        lock.locked { waiters.append(Waiter(kind: .call(call), isAlone: true)) }
    }

    /// The same for a thread, which then waits with ``Ticket/wait()``.
    func enqueueAgain(_ ticket: Ticket) {
        lock.locked { waiters.append(Waiter(kind: .thread(ticket), isAlone: true)) }
    }

    /// Waits for a pooled connection to keep across suspensions; whoever has it gives it back.
    func hold(alone: Bool = false) async throws -> PooledConnection {
        try await PendingCall<PooledConnection>(self) { call, pooled in
            pooled.leaveLentThread()
            call.finish(.success(pooled))
        }
        .outcome(alone: alone)
    }

    /// A pooled connection for the calling thread, one of Swift's few: nil if none is free, or if others like it are
    /// using as many as they may.
    func takeIdle() -> PooledConnection? {
        lock.locked {
            guard !isClosed, !idle.isEmpty, let thread = CallerThreadPermit(), let pooled = idle.popLast()
            else {
                return nil
            }
            pooled.use(on: thread)
            return pooled
        }
    }

    /// Runs `call` on the calling thread, one of Swift's few, and for a while what the pooled connection is passed on to
    /// after it; false if there is no pooled connection or no thread for that.
    func runHere(_ call: any Caller) -> Bool {
        guard let pooled = takeIdle(), let thread = pooled.lentThread else { return false }
        thread.run(call, on: pooled)
        return true
    }

    /// Has `call` run as soon as there is a pooled connection.
    func run(_ call: any Caller, alone: Bool = false) {
        let pooled: Result<PooledConnection?, LockstepError> = lock.locked {
            guard !isClosed else { return .failure(Self.closed) }
            if let pooled = idle.popLast() { return .success(pooled) }
            waiters.append(Waiter(kind: .call(call), isAlone: alone))
            return .success(nil)
        }
        switch pooled {
        case .failure(let error): call.refuse(error)
        case .success(let pooled): if let pooled, !start(call, on: pooled) { giveBack(pooled) }
        }
    }

    /// Forgets a call that waits; false if it does not wait any more.
    func withdraw(_ call: any Caller) -> Bool {
        lock.locked {
            waiters.removeFirst { waiter in
                if case .call(let waiting) = waiter.kind { waiting === call } else { false }
            }
        }
    }

    // MARK: Giving

    /// Gives the pooled connection to the next who waits, if there is one that takes it as it is.
    func passOn(_ pooled: PooledConnection) -> Bool {
        let next = lock.locked { () -> Waiter? in
            guard let next = waiters.first, !next.isAlone else { return nil }
            return waiters.popFirst()
        }
        guard let next else { return false }
        // Without a thread for the next one, the one behind it may go on.
        return give(pooled, to: next) || passOn(pooled)
    }

    /// Gives the pooled connection back.
    func giveBack(_ pooled: PooledConnection) {
        let (next, closing) = lock.locked { () -> (Waiter?, [@Sendable () -> Void]) in
            if let next = waiters.popFirst() { return (next, []) }
            pooled.leaveLentThread()
            idle.append(pooled)
            guard isClosed, idle.count == connections.count else { return (nil, []) }
            defer { closers = [] }
            return (nil, closers)
        }
        if let next, !give(pooled, to: next) { giveBack(pooled) }
        for body in closing { body() }
    }

    /// False if the waiter could not be started; it was told so.
    private func give(_ pooled: PooledConnection, to waiter: Waiter) -> Bool {
        switch waiter.kind {
        case .thread(let ticket):
            pooled.leaveLentThread()
            ticket.give(pooled)
            return true
        case .call(let call): return start(call, on: pooled)
        }
    }

    private func start(_ call: any Caller, on pooled: PooledConnection) -> Bool {
        if let thread = pooled.lentThread, thread.takesOver(call) { return true }
        return startOnWorker(call, pooled)
    }

    /// Has `call` run on the pooled connection's own thread, which may wait.
    func startOnWorker(_ call: any Caller, _ pooled: PooledConnection) -> Bool {
        pooled.leaveLentThread()
        do {
            try pooled.worker.submit { call.run(on: pooled) }
            return true
        } catch {
            call.refuse(error)
            return false
        }
    }

    // MARK: Closing

    /// Refuses whoever asks from now on, and runs `body` once all pooled connections are back: at once, or on the
    /// thread that brings the last. Who waits already is served.
    func close(then body: @escaping @Sendable () -> Void) {
        let isIdle = lock.locked {
            isClosed = true
            if idle.count == connections.count { return true }
            closers.append(body)
            return false
        }
        if isIdle { body() }
    }

    /// Whether this thread is inside a closure that uses one of the pooled connections.
    var isUsedHere: Bool { connections.contains { $0.isUsedHere } }

    static let closed = LockstepError(
        .closed, "the store was closed", hint: "open it again, or close it later")
}

/// First in, first out.
struct Fifo<Element> {
    private var elements: [Element?] = []
    private var start = 0

    var first: Element? { start < elements.count ? elements[start] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        let element = elements[start]
        elements[start] = nil
        start += 1
        // Each element is moved once at most for each time that the array has doubled.
        if start > 32, start * 2 > elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return element
    }

    /// Removes the first element of which `matches` is true; false if there is none.
    mutating func removeFirst(where matches: (Element) -> Bool) -> Bool {
        let index = elements[start...].firstIndex { element in element.map(matches) ?? false }
        guard let index else { return false }
        elements.remove(at: index)
        return true
    }
}
