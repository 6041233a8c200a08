internal import Synchronization

/// Who may use a connection right now.
final class ConnectionOwner: Sendable {
    /// 0 for a connection of its own, whose owner sees to that; else the thread that a store has lent it
    /// to, or ``nobody``.
    private let thread = Atomic<UInt>(0)
    private let cancelled = Atomic<Bool>(false)

    private static let nobody = UInt.max

    /// Whether this thread may use the connection.
    var isHere: Bool {
        let thread = thread.load(ordering: .acquiring)
        return thread == 0 || thread == ThreadIdentity.current
    }

    /// Whether a store has lent the connection to this thread.
    var isLentHere: Bool { thread.load(ordering: .acquiring) == ThreadIdentity.current }

    /// Whether what runs now has been given up, and shall run no further statement.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Lends the connection to this thread.
    func lend() {
        cancelled.store(false, ordering: .releasing)
        thread.store(ThreadIdentity.current, ordering: .releasing)
    }

    /// Takes the connection back; until it is lent again no thread may use it.
    func takeBack() { thread.store(Self.nobody, ordering: .releasing) }

    /// Keeps what runs now from running further statements. Any thread may call this.
    func cancel() { cancelled.store(true, ordering: .releasing) }
}
