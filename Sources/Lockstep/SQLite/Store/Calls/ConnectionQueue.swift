/// Hands out a store's pooled connections in the order of the requests.
// Sendable by this proof: every variable property is accessed only while `lock` is locked.
final class ConnectionQueue: @unchecked Sendable {
    /// An asynchronous call that waits for a pooled connection.
    protocol Caller: AnyObject, Sendable {
        /// Runs on the pooled connection's thread and gives the pooled connection back.
        func run(on pooled: PooledConnection)
        /// Reports that no pooled connection will come.
        func refuse(_ error: any Error)
    }

    private struct Waiter {
        enum Kind {
            case thread(Ticket)
            case call(any Caller)
        }
        let kind: Kind
        /// Whether it needs a pooled connection without an open transaction.
        let isAlone: Bool
    }

    /// Receives the pooled connection for a waiting thread.
    final class Ticket: Sendable {
        private let given = Monitor<PooledConnection?>(nil)

        fileprivate func give(_ pooled: PooledConnection) {
            given.locked { $0 = pooled }
            given.signal()
        }

        func wait() -> PooledConnection { given.wait { $0 } }
    }

    let connections: [PooledConnection]
    private let lock = WaitCondition()
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
    /// - Throws: ``LockstepError/Code/closed``; ``LockstepError/Code/misuse`` on a thread that the queue waits for.
    func take(alone: Bool = false) throws(LockstepError) -> PooledConnection {
        // Made only if it is needed.
        lazy var ticket = Ticket()
        return try takeIdle(orWait: .thread(ticket), alone) ?? ticket.wait()
    }

    /// Queues a member of a lost group for its own turn, even if the queue has been closed since: the member
    /// came before. Called while the pooled connection is held, so that closing waits for it.
    func enqueueAgain(_ call: any Caller) {
        lock.locked { waiters.append(Waiter(kind: .call(call), isAlone: true)) }
    }

    /// The same for a thread, which then waits with ``Ticket/wait()``.
    func enqueueAgain(_ ticket: Ticket) {
        lock.locked { waiters.append(Waiter(kind: .thread(ticket), isAlone: true)) }
    }

    /// Waits for a pooled connection to keep across suspensions. The caller gives it back.
    func hold(alone: Bool = false) async throws -> PooledConnection {
        try await PendingCall<PooledConnection>(self) { call, pooled in
            pooled.leaveCallerThread()
            call.finish(.success(pooled))
        }
        .outcome(alone: alone)
    }

    /// A pooled connection for the calling thread, one of Swift's few: nil if none is free or if the limit on
    /// such threads is reached.
    func takeIdle() -> PooledConnection? {
        lock.locked {
            guard !isClosed, !idle.isEmpty, let thread = CallerThreadPermit(),
                let pooled = idle.popLast()
            else {
                return nil
            }
            pooled.use(on: thread)
            return pooled
        }
    }

    /// Runs `call` on the calling thread, one of Swift's few, and then for a while the calls that the pooled
    /// connection is passed on to. Returns false if no pooled connection or no permit is free.
    func runHere(_ call: any Caller) -> Bool {
        guard let pooled = takeIdle(), let thread = pooled.callerThread else { return false }
        thread.run(call, on: pooled)
        return true
    }

    /// Runs `call` as soon as a pooled connection is free.
    func run(_ call: any Caller, alone: Bool = false) {
        do {
            guard let pooled = try takeIdle(orWait: .call(call), alone) else { return }
            if !start(call, on: pooled) { giveBack(pooled) }
        } catch {
            call.refuse(error)
        }
    }

    /// An idle pooled connection; nil if there is none and `waiter` is now in the queue.
    private func takeIdle(
        orWait waiter: @autoclosure () -> Waiter.Kind, _ isAlone: Bool
    ) throws(LockstepError) -> PooledConnection? {
        try lock.locked { () throws(LockstepError) -> PooledConnection? in
            guard !isClosed else { throw Self.closed }
            if let pooled = idle.popLast() { return pooled }
            let kind = waiter()
            if case .thread = kind, isServedHere { throw Self.servedHere }
            waiters.append(Waiter(kind: kind, isAlone: isAlone))
            return nil
        }
    }

    /// Removes a waiting call from the queue; false if it no longer waits.
    func withdraw(_ call: any Caller) -> Bool {
        lock.locked {
            waiters.removeFirst { waiter in
                if case .call(let waiting) = waiter.kind { waiting === call } else { false }
            }
        }
    }

    // MARK: Giving

    /// Gives the pooled connection to the next waiter, if that waiter accepts an open transaction.
    func passOn(_ pooled: PooledConnection) -> Bool {
        let next = lock.locked { () -> Waiter? in
            guard let next = waiters.first, !next.isAlone else { return nil }
            return waiters.popFirst()
        }
        guard let next else { return false }
        // If no thread starts for this waiter, the one after it gets the connection.
        return give(pooled, to: next) || passOn(pooled)
    }

    /// Gives the pooled connection back.
    func giveBack(_ pooled: PooledConnection) {
        let (next, closing) = lock.locked { () -> (Waiter?, [@Sendable () -> Void]) in
            if let next = waiters.popFirst() { return (next, []) }
            pooled.leaveCallerThread()
            idle.append(pooled)
            guard isClosed, idle.count == connections.count else { return (nil, []) }
            defer { closers = [] }
            return (nil, closers)
        }
        if let next, !give(pooled, to: next) { giveBack(pooled) }
        for body in closing { body() }
    }

    /// False if the waiter could not be started; it has received the error.
    private func give(_ pooled: PooledConnection, to waiter: Waiter) -> Bool {
        switch waiter.kind {
        case .thread(let ticket):
            pooled.leaveCallerThread()
            ticket.give(pooled)
            return true
        case .call(let call): return start(call, on: pooled)
        }
    }

    private func start(_ call: any Caller, on pooled: PooledConnection) -> Bool {
        if let thread = pooled.callerThread, thread.takesOver(call) { return true }
        return startOnWorker(call, pooled)
    }

    /// Runs `call` on the pooled connection's own thread, which is allowed to block.
    func startOnWorker(_ call: any Caller, _ pooled: PooledConnection) -> Bool {
        pooled.leaveCallerThread()
        do {
            try pooled.worker.submit { call.run(on: pooled) }
            return true
        } catch {
            call.refuse(error)
            return false
        }
    }

    // MARK: Closing

    /// Refuses new requests, and runs `body` once all pooled connections are back: at once, or on the thread
    /// that returns the last one. Requests that already wait are served.
    func close(then body: @escaping @Sendable () -> Void) {
        let isIdle = lock.locked {
            isClosed = true
            if idle.count == connections.count { return true }
            closers.append(body)
            return false
        }
        if isIdle { body() }
    }

    /// Whether a connection of the queue waits for the calling thread.
    var isServedHere: Bool { connections.contains(where: \.isServedHere) }

    /// A deinit, or a function that traces statements, can run on a thread that serves calls.
    static let servedHere = LockstepError(
        .misuse, "the store was called on a thread that one of its own calls waits for",
        hint:
            "a function that the store calls, or the deinit of what a closure had, must not wait for the store: "
            + "call it in a task")

    static let closed = LockstepError(.closed, "the store was closed", hint: "open it again, or close it later")
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
        // Each element is moved at most once for each doubling of the array.
        if start > 32, start * 2 > elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return element
    }

    /// Removes the first element that `matches` accepts; false if there is none.
    mutating func removeFirst(where matches: (Element) -> Bool) -> Bool {
        let index = elements[start...].firstIndex { element in element.map(matches) ?? false }
        guard let index else { return false }
        elements.remove(at: index)
        return true
    }
}
