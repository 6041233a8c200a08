// The writer, its queue, and how work moves between threads
// =========================================================
//
// A store has one connection that writes and a few that only read. Each is a `PooledConnection`: the connection, and a
// thread of its own, which is allowed to block. A `ConnectionQueue` gives a pooled connection to one holder at a time,
// in the order of the requests. Only the holder touches the connection; that is the proof for every `@unchecked
// Sendable` in this room.
//
// Who can hold it
//
//   blocked thread   Store.write from synchronous code: `WaitingThread`, woken through a `Ticket`. worker thread    an
//   awaited call that has to wait: `PendingCall`, run by the pooled connection's own thread. lent thread      an
//   awaited call that finds the connection idle runs on the Swift thread that calls it, under a `CallerThreadPermit`.
//   It must not block there: if another process has the write lock, the call throws `MustWait` and moves to the worker
//   thread. task             a transaction whose closure suspends (`hold`): the connection belongs to no thread between
//   its uses.
//
// States of the writer's pooled connection
//
//                 take, runHere, run, hold
//      IDLE ───────────────────────────────────▶ HELD, no transaction
//       ▲                                           │ part: BEGIN IMMEDIATE, body
//       │ giveBack, nobody waits                    ▼
//       │                                        HELD, transaction open, members = 1
//       │                                           │ endTurn
//       │           ┌───────────────────────────────┤
//       │           │ passOn: the next waiter runs  │ nobody waits, or a limit is reached,
//       │           │ its part in a SAVEPOINT and   │ or the next waiter needs to be alone
//       │           │ joins members                 │
//       │           └──▶ HELD by another, members+1 ┤
//       │                                           ▼
//       │                                        COMMIT ── fails ──▶ ROLLBACK
//       │                                           │                  │ 1 member: .failed
//       │                                           │ .committed       │ several: .lost, each is queued again, alone
//       └────────────── giveBack ◀──────────────────┴──────────────────┘
//
// Rules
//
//  1. `members`, `openedAt`, `lastGroup`, `lastCommit` belong to the holder. No lock guards them.
//  2. A member returns to its caller only from `settle`, after the commit. Before that no caller has seen its result.
//  3. `settle` runs before `giveBack`: a lost member is in the queue again before anyone can find the queue empty,
//     and closing the store waits for it (`enqueueAgain` ignores that the queue is closed).
//  4. A part that throws is undone alone, by its savepoint, or by ROLLBACK if it is the first. If its failure ended the
//     whole transaction (full disk, deferred constraint), the others are lost, not failed.
//  5. Cancelling a task withdraws a call that waits, or interrupts the statement of a call that runs. An interrupt that
//     comes late hits nobody: `PooledConnection.interrupt` compares the call under the lock that ends the use.
//  6. The queue's lock and a call's lock are never held together with a call of SQLite. Continuations are resumed
//     outside of every lock, once: by the caller that takes the continuation out.

/// The only connection of a store that writes, and the writes that share its transaction.
///
/// Group commit: a write that finishes while others wait passes the connection on with the transaction open.
/// Each write runs in its own savepoint, so that one that throws is undone alone. The last write, or the one
/// that reaches a limit, commits for all; only then does each return to its caller. If the shared transaction
/// is lost through a full disk, a deferred constraint or a cancelled task, each write runs again in its own
/// transaction.
// Sendable by this proof: every variable is touched only by the thread that holds the pooled connection.
final class Writer: @unchecked Sendable {
    /// A write that has done its part and waits for the commit.
    protocol Member: AnyObject, Sendable {
        func settle(_ outcome: Outcome)
    }

    enum Outcome: Sendable {
        case committed
        case failed(any Error)
        /// The part must run again, alone.
        case lost
    }

    private static let largestGroup = 256
    // How long to wait for others: a quarter of the last commit's time, all of which a joining write saves; at
    // least 10 µs where commits are fast, and at most 1 ms.
    private static let timeout: ClosedRange<Int64> = 10...1000

    let pooled: PooledConnection
    let queue: ConnectionQueue
    private let observers: Observers
    private let checkpointer: Checkpointer?
    private let source: StoreSource
    private var members: [any Member] = []
    private var openedAt: Int64 = 0
    /// Members of the last group.
    private var lastGroup = 0
    /// Time of the last commit, in microseconds.
    private var lastCommit: Int64 = 0

    init(_ pooled: PooledConnection, _ observers: Observers, _ checkpointer: Checkpointer?, _ source: StoreSource) {
        self.source = source
        self.pooled = pooled
        self.observers = observers
        self.checkpointer = checkpointer
        queue = ConnectionQueue([pooled])
    }

    // MARK: Writing

    /// Runs `body` on this thread in a transaction that it can share, and returns once it is durable.
    func write<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        var isAlone = false
        var pooled = try queue.take()
        while true {
            let waiting = WaitingThread(queue)
            let value: Result
            do {
                value = try pooled.use { connection in try part(on: connection, body) }
            } catch {
                endTurn(alone: isAlone)
                throw error
            }
            members.append(waiting)
            endTurn(alone: isAlone)
            switch waiting.outcome() {
            case .committed: return value
            case .failed(let error): throw error
            case .lost:
                isAlone = true
                pooled = waiting.turn.wait()
            }
        }
    }

    /// Runs `body` in a transaction that it can share: on this thread, one of Swift's, if nothing makes it
    /// wait, otherwise on the writer's.
    @concurrent
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        let task = WaitingTask<Result>(self, body)
        let result = try await task.call.outcome(mayRunHere: true)
        // The call holds the task unowned.
        withExtendedLifetime(task) {}
        return result
    }

    fileprivate func run<Result>(_ task: WaitingTask<Result>, _ call: PendingCall<Result>) {
        do {
            task.value = try call.use(pooled) { connection in try part(on: connection, task.body) }
            members.append(task)
            endTurn(alone: task.isAlone)
        } catch is MustWait {
            if !queue.startOnWorker(call, pooled) { queue.giveBack(pooled) }
        } catch {
            endTurn(alone: task.isAlone)
            call.finish(.failure(error))
        }
    }

    // MARK: Outside transactions

    /// Runs `body` on this thread outside any engine transaction.
    func exclusively<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        let pooled = try queue.take(alone: true)
        defer { queue.giveBack(pooled) }
        return try pooled.use { connection in try withoutTransaction(connection, body) }
    }

    /// Runs `body` on the writer's thread outside any engine transaction.
    func exclusively<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        let call = PendingCall(queue) { connection in try self.withoutTransaction(connection, body) }
        return try await call.outcome(alone: true)
    }

    private func withoutTransaction<Result>(
        _ connection: borrowing Connection, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        try source.requireInPlace()
        // The lock of a background checkpoint would make an explicit one fail.
        checkpointer?.waitUntilIdle()
        connection.core.tracker.setOn(!observers.isEmpty)
        defer {
            publish(connection)
            checkpointer?.keepUp(connection)
        }
        let result: Result
        do {
            result = try body(connection)
        } catch {
            throw cleaningUp(after: error) {
                try connection.rollBackIfOpen()
                try connection.core.putBackState()
            }
        }
        guard !connection.isInTransaction else {
            try connection.run(.rollBack)
            // In the open transaction some of it could not be.
            try connection.core.putBackState()
            throw LockstepError(
                .misuse, "the closure left a transaction open; it was rolled back",
                hint: "end it with COMMIT, or use Store.write(_:)")
        }
        return result
    }

    /// Runs `body`, which can suspend, in its own transaction on a pooled connection that is held alone.
    func transaction<Result>(
        on pooled: PooledConnection, _ body: () async throws -> Result
    ) async throws -> Result {
        try source.requireInPlace()
        try pooled.use { connection in
            connection.core.tracker.setOn(!observers.isEmpty)
            try connection.begin(.immediate)
        }
        do {
            let result = try await body()
            try pooled.use { connection in
                try connection.run(.commit)
                publish(connection)
                checkpointer?.keepUp(connection)
            }
            return result
        } catch {
            throw cleaningUp(after: error) {
                try pooled.use { connection in try connection.rollBackIfOpen() }
            }
        }
    }

    // MARK: The group

    /// Runs one member's part in the open transaction, or in a new one.
    private func part<Result>(
        on connection: borrowing Connection, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        guard members.isEmpty else {
            do {
                return try connection.savepoint(body)
            } catch {
                // No running statement can prevent this rollback any more.
                let failure = cleaningUp(after: error) {
                    if connection.core.isDoomed { try connection.rollBackIfOpen() }
                }
                if !connection.isInTransaction { settle(.lost) }
                throw failure
            }
        }
        try source.requireInPlace()
        connection.core.tracker.setOn(!observers.isEmpty)
        try begin(connection)
        openedAt = Clock.monotonicMicroseconds
        do {
            // The first part needs no savepoint: nothing comes before it.
            return try connection.guarded(body)
        } catch {
            throw cleaningUp(after: error) { try connection.rollBackIfOpen() }
        }
    }

    private func begin(_ connection: borrowing Connection) throws {
        guard pooled.callerThread != nil else { return try connection.begin(.immediate) }
        do {
            try connection.waiting(atMost: .zero) { connection in try connection.begin(.immediate) }
        } catch let error as LockstepError where error.code == .busy {
            throw MustWait()
        }
    }

    /// Passes the open transaction on, or ends it, and gives the pooled connection back.
    private func endTurn(alone: Bool) {
        guard !members.isEmpty else { return queue.giveBack(pooled) }
        let mayGrow =
            !alone && members.count < Self.largestGroup
            && Clock.monotonicMicroseconds - openedAt < source.options.longestGroup
        if mayGrow, passOnSoon() { return }
        var outcome = Outcome.committed
        do {
            try pooled.use { connection in
                let begun = Clock.monotonicMicroseconds
                do {
                    try connection.run(.commit)
                    lastCommit = Clock.monotonicMicroseconds - begun
                } catch {
                    throw cleaningUp(after: error) { try connection.rollBackIfOpen() }
                }
                publish(connection)
                checkpointer?.keepUp(connection)
            }
        } catch {
            // With several members the failure can be one member's fault and must not affect the others.
            outcome = members.count == 1 ? .failed(error) : .lost
        }
        // The next group's members are already running when the pooled connection becomes free.
        settle(outcome)
        queue.giveBack(pooled)
    }

    /// Passes the transaction on to a waiting write. If the last group had more members than this one, waits
    /// for the next write to arrive: tasks that were resumed together mostly write again together, and a commit
    /// costs more than letting them run up to here.
    private func passOnSoon() -> Bool {
        if queue.passOn(pooled) { return true }
        guard members.count < lastGroup else { return false }
        let timeout = min(max(lastCommit / 4, Self.timeout.lowerBound), Self.timeout.upperBound)
        let deadline = Clock.monotonicMicroseconds + timeout
        repeat {
            ThreadIdentity.yield()
            if queue.passOn(pooled) { return true }
        } while Clock.monotonicMicroseconds < deadline
        return false
    }

    private func settle(_ outcome: Outcome) {
        lastGroup = members.count
        let settled = members
        members.removeAll(keepingCapacity: true)
        for member in settled { member.settle(outcome) }
    }

    private func publish(_ connection: borrowing Connection) {
        if connection.core.tracker.isOn {
            observers.publish(connection.core.tracker.take())
        } else if !observers.isEmpty {
            // An observer was added while this transaction was running.
            observers.publish(.unknown)
        }
    }
}

/// Another process has the write lock, and a Swift thread must not wait for it.
private struct MustWait: Error {}

/// A blocked thread whose write waits for the commit.
private final class WaitingThread: Writer.Member {
    /// The turn in which a lost part runs again.
    let turn = ConnectionQueue.Ticket()
    private let queue: ConnectionQueue
    private let settled = Monitor<Writer.Outcome?>(nil)

    init(_ queue: ConnectionQueue) { self.queue = queue }

    func settle(_ outcome: Writer.Outcome) {
        if case .lost = outcome { queue.enqueueAgain(turn) }
        settled.locked { $0 = outcome }
        settled.signal()
    }

    func outcome() -> Writer.Outcome { settled.wait { $0 } }
}

/// A suspended task whose write waits for the commit.
// Sendable by this proof: `value` and `isAlone` are touched only by the thread that holds the pooled connection.
private final class WaitingTask<Value: Sendable>: Writer.Member, @unchecked Sendable {
    let body: @Sendable (borrowing Connection) throws -> Value
    var value: Value?
    private(set) var isAlone = false
    private let writer: Writer
    private(set) lazy var call = PendingCall<Value>(writer.queue) { [unowned self] call, _ in
        writer.run(self, call)
    }

    init(_ writer: Writer, _ body: @escaping @Sendable (borrowing Connection) throws -> Value) {
        self.writer = writer
        self.body = body
    }

    func settle(_ outcome: Writer.Outcome) {
        switch outcome {
        case .committed: if let value { call.finish(.success(value)) }
        case .failed(let error): call.finish(.failure(error))
        case .lost:
            isAlone = true
            value = nil
            writer.queue.enqueueAgain(call)
        }
    }
}
