internal import Synchronization

/// The use of one of Swift's few threads for a store's calls: a short call costs several times less there
/// than the change to a thread of the store's own.
///
/// All stores of the process together use at most half of them at once, so that other tasks go on
/// whatever the calls wait for.
final class CallerThreadPermit {
    // A task that runs others' writes behind its own gets its result at most so much later: 1 ms, in which
    // some thirty commits fit where nothing waits for a disk.
    static let longestTurn: Int64 = 1000

    private static let lent = Atomic<Int>(0)

    private let longestTurn: Int64
    private let startedAt = Clock.monotonicMicroseconds
    private let identity = ThreadIdentity.current
    /// What the pooled connection was passed on to.
    private var next: (any ConnectionQueue.Caller)?
    /// Whether it runs what it is handed: it does not while a task reads on it by itself.
    private var isRunning = false

    /// Nil if as many are used as may be.
    /// - Parameter longestTurn: In microseconds.
    init?(longestTurn: Int64 = CallerThreadPermit.longestTurn) {
        self.longestTurn = longestTurn
        guard Self.lent.add(1, ordering: .relaxed).newValue <= Processors.count / 2 else {
            Self.lent.subtract(1, ordering: .relaxed)
            return nil
        }
    }

    /// Called once, when the pooled connection is no longer used on this thread.
    func giveBack() { Self.lent.subtract(1, ordering: .relaxed) }

    /// Runs `call`, and then whatever has been passed on to this thread.
    func run(_ call: any ConnectionQueue.Caller, on pooled: PooledConnection) {
        isRunning = true
        defer { isRunning = false }
        call.run(on: pooled)
        while let call = next {
            next = nil
            call.run(on: pooled)
        }
    }

    /// Whether this thread, being the one that asks, will run `call` next.
    func takesOver(_ call: any ConnectionQueue.Caller) -> Bool {
        guard identity == ThreadIdentity.current, isRunning,
            Clock.monotonicMicroseconds - startedAt < longestTurn
        else { return false }
        next = call
        return true
    }
}
