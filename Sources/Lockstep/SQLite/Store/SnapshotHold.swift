/// A reader with its snapshot, held until this value is released.
// Sendable by this proof: `reader` is touched only by the holder of the pooled connection, which is this value.
final class SnapshotHold: @unchecked Sendable {
    typealias Opener = @Sendable (borrowing Connection) throws -> any PieceReader

    private let pooled: PooledConnection
    private let queue: ConnectionQueue
    private let open: Opener
    private var reader: (any PieceReader)?
    private let keeper: Int?

    static func begin(
        _ queue: ConnectionQueue, _ open: @escaping Opener
    ) async throws -> SnapshotHold {
        let pooled = try await queue.hold(alone: true)
        do {
            try pooled.use { connection in try connection.begin(.deferred) }
        } catch {
            queue.giveBack(pooled)
            throw error
        }
        return SnapshotHold(pooled, queue, open)
    }

    private init(_ pooled: PooledConnection, _ queue: ConnectionQueue, _ open: @escaping Opener) {
        self.pooled = pooled
        self.queue = queue
        self.open = open
        keeper = queue.noteKeeper()
    }

    deinit {
        queue.forgetKeeper(keeper)
        // Nobody else has the pooled connection yet. Rolling back a transaction that only read loses nothing.
        reader?.close()
        try? pooled.use { connection in try connection.run(.rollBack) }
        queue.giveBack(pooled)
    }

    @concurrent
    func chunk(from offset: Int, size: Int) async throws -> [UInt8] {
        try pooled.use { connection in
            let reader = try self.reader ?? open(connection)
            self.reader = reader
            let chunk = try reader.read(offset, size, on: connection)
            try connection.core.readCheck.requireSound(connection.core)
            return chunk
        }
    }
}
