internal import Synchronization

/// Gives a store's seats to those who ask, in the order of asking.
// Sendable by this proof: every property but the constant ones is touched only while the lock is held.
final class SeatQueue: @unchecked Sendable {
    /// An asynchronous call that waits for a seat.
    protocol Caller: AnyObject, Sendable {
        /// Runs on the seat's thread, and gives the seat back.
        func run(on seat: Seat)
        /// There will be no seat.
        func refuse(_ error: any Error)
    }

    private struct Waiter {
        enum Kind {
            case thread(Pass)
            case call(any Caller)
        }
        let kind: Kind
        /// Whether it wants a seat on which nothing has begun.
        let isAlone: Bool
    }

    /// What a waiting thread is handed.
    // Sendable by this proof: `seat` is touched only while the condition's lock is held.
    final class Pass: @unchecked Sendable {
        private let given = Condition()
        private var seat: Seat?

        fileprivate func give(_ seat: Seat) {
            given.locked { self.seat = seat }
            given.signal()
        }

        func wait() -> Seat {
            given.locked {
                while true {
                    if let seat { return seat }
                    given.wait()
                }
            }
        }
    }

    let seats: [Seat]
    private let lock = Condition()
    private var idle: [Seat]
    private var waiters = Fifo<Waiter>()
    private var isClosed = false
    private var closers: [@Sendable () -> Void] = []

    init(_ seats: [Seat]) {
        self.seats = seats
        idle = seats.reversed()
    }

    // MARK: Asking

    /// Waits for a seat.
    func take(alone: Bool = false) throws(LockstepError) -> Seat {
        let pass = Pass()
        let seat: Result<Seat?, LockstepError> = lock.locked {
            guard !isClosed else { return .failure(Self.closed) }
            if let seat = idle.popLast() { return .success(seat) }
            waiters.append(Waiter(kind: .thread(pass), isAlone: alone))
            return .success(nil)
        }
        return try seat.get() ?? pass.wait()
    }

    /// Has a member of a lost group wait for a turn of its own. It was there before the queue was closed, if
    /// it is; called while the seat is held, so that closing waits for it.
    func enqueueAgain(_ call: any Caller) {
        lock.locked { waiters.append(Waiter(kind: .call(call), isAlone: true)) }
    }

    /// The same for a thread, which then waits with ``Pass/wait()``.
    func enqueueAgain(_ pass: Pass) {
        lock.locked { waiters.append(Waiter(kind: .thread(pass), isAlone: true)) }
    }

    /// Waits for a seat to keep across suspensions; whoever has it gives it back.
    func hold(alone: Bool = false) async throws -> Seat {
        try await Call<Seat>(self) { call, seat in
            seat.leaveLentThread()
            call.finish(.success(seat))
        }
        .outcome(alone: alone)
    }

    /// A seat for the calling thread, one of Swift's few: nil if none is free, or if others like it are
    /// using as many as they may.
    func takeIdle() -> Seat? {
        lock.locked {
            guard !isClosed, !idle.isEmpty, let thread = LentThread(), let seat = idle.popLast()
            else {
                return nil
            }
            seat.use(on: thread)
            return seat
        }
    }

    /// Runs `call` on the calling thread, one of Swift's few, and for a while what the seat is passed on to
    /// after it; false if there is no seat or no thread for that.
    func runHere(_ call: any Caller) -> Bool {
        guard let seat = takeIdle(), let thread = seat.lentThread else { return false }
        thread.run(call, on: seat)
        return true
    }

    /// Has `call` run as soon as there is a seat.
    func run(_ call: any Caller, alone: Bool = false) {
        let seat: Result<Seat?, LockstepError> = lock.locked {
            guard !isClosed else { return .failure(Self.closed) }
            if let seat = idle.popLast() { return .success(seat) }
            waiters.append(Waiter(kind: .call(call), isAlone: alone))
            return .success(nil)
        }
        switch seat {
        case .failure(let error): call.refuse(error)
        case .success(let seat): if let seat, !start(call, on: seat) { giveBack(seat) }
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

    /// Gives the seat to the next who waits, if there is one that takes it as it is.
    func passOn(_ seat: Seat) -> Bool {
        let next = lock.locked { () -> Waiter? in
            guard let next = waiters.first, !next.isAlone else { return nil }
            return waiters.popFirst()
        }
        guard let next else { return false }
        // Without a thread for the next one, the one behind it may go on.
        return give(seat, to: next) || passOn(seat)
    }

    /// Gives the seat back.
    func giveBack(_ seat: Seat) {
        let (next, closing) = lock.locked { () -> (Waiter?, [@Sendable () -> Void]) in
            if let next = waiters.popFirst() { return (next, []) }
            seat.leaveLentThread()
            idle.append(seat)
            guard isClosed, idle.count == seats.count else { return (nil, []) }
            defer { closers = [] }
            return (nil, closers)
        }
        if let next, !give(seat, to: next) { giveBack(seat) }
        for body in closing { body() }
    }

    /// False if the waiter could not be started; it was told so.
    private func give(_ seat: Seat, to waiter: Waiter) -> Bool {
        switch waiter.kind {
        case .thread(let pass):
            seat.leaveLentThread()
            pass.give(seat)
            return true
        case .call(let call): return start(call, on: seat)
        }
    }

    private func start(_ call: any Caller, on seat: Seat) -> Bool {
        if let thread = seat.lentThread, thread.takesOver(call) { return true }
        return startOnWorker(call, seat)
    }

    /// Has `call` run on the seat's own thread, which may wait.
    func startOnWorker(_ call: any Caller, _ seat: Seat) -> Bool {
        seat.leaveLentThread()
        do {
            try seat.worker.submit { call.run(on: seat) }
            return true
        } catch {
            call.refuse(error)
            return false
        }
    }

    // MARK: Closing

    /// Refuses whoever asks from now on, and runs `body` once all seats are back: at once, or on the
    /// thread that brings the last. Who waits already is served.
    func close(then body: @escaping @Sendable () -> Void) {
        let isIdle = lock.locked {
            isClosed = true
            if idle.count == seats.count { return true }
            closers.append(body)
            return false
        }
        if isIdle { body() }
    }

    /// Whether this thread is inside a closure that uses one of the seats.
    var isUsedHere: Bool { seats.contains { $0.isUsedHere } }

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
