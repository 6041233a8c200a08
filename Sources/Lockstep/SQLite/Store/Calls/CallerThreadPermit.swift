internal import Synchronization

/// Permission to run a store's calls on one of Swift's few threads. A short call there costs several times less
/// than switching to one of the store's own threads.
///
/// All stores of the process together use at most half of those threads at once, so that other tasks continue
/// whatever the calls wait for.
final class CallerThreadPermit {
    // A task that runs other tasks' writes after its own gets its result at most this much later: 1 ms, enough
    // for about thirty commits if nothing waits for a disk.
    static let longestTurn: Int64 = 1000

    private static let lent = Atomic<Int>(0)

    private let longestTurn: Int64
    private let startedAt = Clock.monotonicMicroseconds
    private let identity = ThreadIdentity.current
    /// The call that the pooled connection was passed on to.
    private var next: (any ConnectionQueue.Caller)?
    /// Whether it runs the calls that are passed on to it; false while a task reads on this thread by itself.
    private var isRunning = false

    /// Nil if the limit is reached.
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

    /// Runs `call`, then every call that is passed on to this thread.
    func run(_ call: any ConnectionQueue.Caller, on pooled: PooledConnection) {
        isRunning = true
        pooled.beginServing()
        defer {
            pooled.endServing()
            isRunning = false
        }
        call.run(on: pooled)
        while let call = next {
            next = nil
            call.run(on: pooled)
        }
    }

    /// True if the permit belongs to the calling thread and that thread runs `call` next.
    func takesOver(_ call: any ConnectionQueue.Caller) -> Bool {
        guard identity == ThreadIdentity.current, isRunning, Clock.monotonicMicroseconds - startedAt < longestTurn
        else { return false }
        next = call
        return true
    }
}
