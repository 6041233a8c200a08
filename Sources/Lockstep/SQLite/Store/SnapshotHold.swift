/// A reader with its snapshot and a value on it, held until this object is released or its store closes.
// Sendable by this proof: `pooled` and `reader` are touched only while the lock is held.
final class SnapshotHold: @unchecked Sendable {
    typealias Opener = @Sendable (borrowing Connection) throws -> any PieceReader

    private let lock = WaitCondition()
    /// Nil when it has ended.
    private var pooled: PooledConnection?
    private var reader: (any PieceReader)?
    private let open: Opener
    private let giveBack: @Sendable (PooledConnection, ObjectIdentifier) -> Void

    /// Begins on one of the store's readers for snapshots.
    static func begin(
        _ readers: SnapshotReaders, _ open: @escaping Opener
    ) throws -> SnapshotHold {
        let hold = try SnapshotHold(readers.take(), open) { pooled, hold in
            readers.remove(hold)
            readers.giveBack(pooled)
        }
        try readers.add(hold)
        try hold.start()
        return hold
    }

    /// Begins on a connection that reads wait for, too: only tests do.
    static func begin(sharing queue: ConnectionQueue, _ call: StoreCall, _ open: @escaping Opener)
        async throws -> SnapshotHold
    {
        let hold = try await SnapshotHold(queue.hold(alone: true), open) { pooled, _ in
            CallGraph.shared.release(call)
            queue.giveBack(pooled)
        }
        CallGraph.shared.keep(call)
        try hold.start()
        return hold
    }

    private init(
        _ pooled: PooledConnection, _ open: @escaping Opener,
        giveBack: @escaping @Sendable (PooledConnection, ObjectIdentifier) -> Void
    ) {
        self.open = open
        self.giveBack = giveBack
        self.pooled = pooled
    }

    private func start() throws {
        do {
            try lock.locked {
                guard let pooled else { throw ConnectionQueue.closed }
                try pooled.use { connection in try connection.begin(.deferred) }
            }
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    /// Up to `size` bytes from `offset`.
    /// - Throws: ``LockstepError/Code/closed`` if the store has closed; the errors of the value.
    @concurrent
    func chunk(from offset: Int, size: Int) async throws -> [UInt8] {
        try lock.locked {
            guard let pooled else { throw ConnectionQueue.closed }
            return try pooled.use { connection in
                let reader = try self.reader ?? open(connection)
                self.reader = reader
                let chunk = try reader.read(offset, size, on: connection)
                try connection.core.readCheck.requireSound(connection.core)
                return chunk
            }
        }
    }

    /// Gives the reader back. Waits for a chunk that is being read; any thread can call this.
    func end() {
        let ended = lock.locked { () -> PooledConnection? in
            guard let pooled else { return nil }
            self.pooled = nil
            let reader = reader
            self.reader = nil
            // Nobody else has the pooled connection yet. Rolling back a transaction that only read loses nothing.
            guard pooled.isOpen else { return pooled }
            try? pooled.use { connection in
                reader?.close()
                try connection.rollBackIfOpen()
            }
            return pooled
        }
        if let ended { giveBack(ended, ObjectIdentifier(self)) }
    }
}
