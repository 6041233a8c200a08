internal import Lockstep

/// The turn of a runner whose statements run outside a transaction. A second connection keeps it: its transaction stays
/// open and holds nothing but the lock, so that building an index does not wait for it. It must be READ COMMITTED:
/// under REPEATABLE READ it would keep a snapshot, and the index would wait for ever.
struct ServerClaim: ~Copyable {
    private let holder: ServerConnection

    /// Waits for its turn.
    /// - Throws: `LockstepError.Code.busy` after a second.
    init(_ ledger: ServerLedger, beside connection: borrowing ServerConnection) throws {
        holder = try Self.held(
            ledger, ServerConnection(ServerSession(beside: connection.session)))
    }

    private static func held(
        _ ledger: ServerLedger, _ holder: consuming ServerConnection
    ) throws -> ServerConnection {
        try holder.execute("BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE")
        // A server that ends idle transactions would end the turn.
        try holder.execute(
            """
            SELECT pg_catalog.set_config('lock_timeout', '1s', true),
                pg_catalog.set_config('idle_in_transaction_session_timeout', '0', true)
            """)
        try ledger.lock(holder)
        try keepOpen(holder)
        return holder
    }

    /// Runs a statement that takes no snapshot. A query's portal keeps its snapshot until the next statement of its
    /// connection, and an index that is built meanwhile waits for that.
    private static func keepOpen(_ holder: borrowing ServerConnection) throws {
        try holder.execute("SET LOCAL lock_timeout = '1s'")
    }

    /// Requires that the turn has not ended.
    /// - Throws: `LockstepError.Code.serverUnreachable` if the connection was lost, and the lock with it.
    func requireHeld() throws { try Self.keepOpen(holder) }

    deinit { holder.session.rollBack() }
}
