/// The readers of a store that keep a snapshot while the program does other things: between the chunks of a value, or
/// in a job's progress closure. Nobody waits for one: see `CallGraph.swift`.
///
/// One opens when none is idle. As many as reads have stay open for the next; the others close after their use.
// Sendable by this proof: every variable property is touched only while the lock is held.
final class SnapshotReaders: @unchecked Sendable {
    private let source: StoreSource
    private let limit: Int
    /// How many stay open.
    private let spare: Int
    private let lock = WaitCondition()
    private var idle: [PooledConnection] = []
    private var inUse: [ObjectIdentifier: PooledConnection] = [:]
    private var streams: [ObjectIdentifier: Stream] = [:]
    private var isClosed = false
    private var closers: [@Sendable () -> Void] = []

    private struct Stream { weak var hold: SnapshotHold? }

    init(_ source: StoreSource) {
        self.source = source
        limit = max(source.options.streams, 1)
        spare = max(source.options.readers, 1)
    }

    /// Returns a reader at once. The caller gives it back.
    /// - Throws: ``LockstepError/Code/limitExceeded``, ``LockstepError/Code/closed``.
    func take() throws(LockstepError) -> PooledConnection {
        try lock.locked { () throws(LockstepError) in
            guard !isClosed else { throw ConnectionQueue.closed }
            guard inUse.count < limit else {
                throw LockstepError(
                    .limitExceeded, "\(limit) sequences of `chunks` and jobs already keep a snapshot of the store",
                    hint: "end some first, or open the store with a larger `StoreOptions.streams`",
                    context: .file(source.path))
            }
            let pooled =
                idle.popLast()
                ?? PooledConnection(cacheShare: { [source] in source.readerCacheBytes }) {
                    [source] in try source.openReader()
                }
            inUse[ObjectIdentifier(pooled)] = pooled
            return pooled
        }
    }

    func giveBack(_ pooled: PooledConnection) {
        let (isKept, closing) = lock.locked { () -> (Bool, [@Sendable () -> Void]) in
            inUse[ObjectIdentifier(pooled)] = nil
            let isKept = !isClosed && idle.count < spare
            if isKept { idle.append(pooled) }
            return (isKept, takeClosers())
        }
        if !isKept, pooled.close() { source.forgetReader() }
        for body in closing { body() }
    }

    /// Whether one of them waits for the calling thread.
    var isServedHere: Bool {
        lock.locked { Array(inUse.values) }.contains(where: \.isServedHere)
    }

    // MARK: Closing

    /// Notes a sequence that ends when the store closes.
    /// - Throws: ``LockstepError/Code/closed``.
    func add(_ hold: SnapshotHold) throws(LockstepError) {
        try lock.locked { () throws(LockstepError) in
            guard !isClosed else { throw ConnectionQueue.closed }
            streams[ObjectIdentifier(hold)] = Stream(hold: hold)
        }
    }

    func remove(_ hold: ObjectIdentifier) { lock.locked { streams[hold] = nil } }

    /// Refuses new requests, ends all sequences, and runs `body` once the readers of all jobs are back.
    func close(then body: @escaping @Sendable () -> Void) {
        let (ending, unused) = lock.locked { () -> ([SnapshotHold], [PooledConnection]) in
            isClosed = true
            closers.append(body)
            defer { idle = [] }
            return (streams.values.compactMap(\.hold), idle)
        }
        for hold in ending { hold.end() }
        for pooled in unused where pooled.close() { source.forgetReader() }
        for body in lock.locked({ takeClosers() }) { body() }
    }

    /// Called while the lock is held.
    private func takeClosers() -> [@Sendable () -> Void] {
        guard isClosed, inUse.isEmpty else { return [] }
        defer { closers = [] }
        return closers
    }
}
