internal import Synchronization

/// Which thread can use a connection right now.
final class ConnectionOwner: Sendable {
    /// 0 for a standalone connection, whose owner ensures exclusive use; otherwise the thread that a store has
    /// lent it to, or ``nobody``.
    private let thread = Atomic<UInt>(0)
    private let cancelled = Atomic<Bool>(false)

    private static let nobody = UInt.max

    /// Whether this thread can use the connection.
    var isHere: Bool {
        let thread = thread.load(ordering: .acquiring)
        return thread == 0 || thread == ThreadIdentity.current
    }

    /// Whether the current work was cancelled and must run no further statement.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Lends the connection to this thread.
    func lend() {
        cancelled.store(false, ordering: .releasing)
        thread.store(ThreadIdentity.current, ordering: .releasing)
    }

    /// Takes the connection back; no thread can use it until it is lent again.
    func takeBack() { thread.store(Self.nobody, ordering: .releasing) }

    /// Keeps the current work from running further statements. Any thread can call this.
    func cancel() { cancelled.store(true, ordering: .releasing) }
}
