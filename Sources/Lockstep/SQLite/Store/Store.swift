internal import Synchronization
public import SystemPackage

/// An encrypted database that threads and tasks share: one writer and several readers.
///
/// `read` works on a snapshot and never waits for a writer; `write` is a transaction that is durable when
/// it returns. Both come as asynchronous calls, which never run on an actor, and as blocking ones, which
/// run on the calling thread. A closure must not call the store again: it has the connection that it
/// needs.
///
/// So that a short asynchronous call costs no change of threads, which takes several times as long as the
/// call itself, up to half of Swift's threads may serve calls of all stores at a time; the others run on
/// the store's own threads. A thread of Swift's waits for the disk, never for another process's lock.
///
/// Writes that wait while another runs share its transaction, each in a savepoint of its own, so that one
/// sync serves all. **A closure may therefore run more than once**: if the shared transaction is lost,
/// each is run again by itself. What goes beyond the database belongs behind the call.
public final class Store: Sendable {
    /// The file; `:memory:` for a store in memory.
    public let path: FilePath
    let writer: Writer
    /// Nil for a store in memory, whose one connection does everything.
    let readers: ConnectionQueue?
    let observers: Observers
    let checkpointer: Checkpointer?
    private let isEnding = Atomic<Bool>(false)
    private let ended = Latch()
    let source: StoreSource

    /// A store over a file, none of whose connections is open yet.
    init(_ source: StoreSource) {
        path = source.path
        self.source = source
        observers = Observers()
        let log = Checkpointer(
            PooledConnection { try source.openCheckpointer() }, threshold: source.options.checkpointPages)
        checkpointer = log
        readers = ConnectionQueue(
            (0..<max(source.options.readers, 1)).map { _ in
                PooledConnection(cacheShare: { source.readerCacheBytes }) { try source.openReader() }
            })
        let pooled = PooledConnection {
            let connection = try source.openWriter()
            connection.watchLog(log)
            return connection
        }
        writer = Writer(pooled, observers, log, source)
    }

    /// A store in memory.
    init(_ source: StoreSource, inMemory connection: consuming Connection) {
        path = source.path
        self.source = source
        observers = Observers()
        checkpointer = nil
        readers = nil
        let pooled = PooledConnection { throw ConnectionQueue.closed }
        pooled.take(connection)
        writer = Writer(pooled, observers, nil, source)
    }

    deinit { shutDown() }

    /// Uses a writer that is open already.
    func takeWriter(_ connection: consuming Connection) {
        if let checkpointer { connection.watchLog(checkpointer) }
        writer.pooled.take(connection)
    }

    // MARK: Reading

    /// Runs `body` on this thread, on one snapshot of the database, and blocks until it is its turn.
    /// - Throws: What `body` throws; ``LockstepError/Code/closed``.
    public func read<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        guard let readers else {
            try refuseRecursion(into: writer.queue)
            return try writer.exclusively { connection in try connection.readOnly(body) }
        }
        try refuseRecursion(into: readers)
        let pooled = try readers.take()
        defer { readers.giveBack(pooled) }
        return try pooled.use { connection in try connection.read(body) }
    }

    /// Runs `body` on one snapshot of the database, and never on an actor. Cancelling the task interrupts
    /// it.
    /// - Throws: What `body` throws; `CancellationError`; ``LockstepError/Code/closed``.
    @concurrent
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        guard let readers else {
            return try await writer.exclusively { connection in try connection.readOnly(body) }
        }
        guard let pooled = readers.takeIdle() else {
            return try await PendingCall(readers) { connection in try connection.read(body) }.outcome()
        }
        defer { readers.giveBack(pooled) }
        let use = ConnectionLease(pooled)
        return try await withTaskCancellationHandler {
            try use.run { connection in try connection.read(body) }
        } onCancel: {
            use.cancel()
        }
    }

    // MARK: Writing

    /// Runs `body` on this thread in a transaction, and returns when it is durable; if it throws, nothing
    /// of it remains. Blocks until it is its turn.
    /// - Throws: What `body` throws; ``LockstepError/Code/busy`` if another process holds the write lock
    ///   for longer than the busy timeout; ``LockstepError/Code/closed``.
    public func write<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        try refuseRecursion(into: writer.queue)
        return try writer.write(body)
    }

    /// Runs `body` in a transaction, and never on an actor, and returns when it is durable; if it throws, or
    /// the task is cancelled before its part is done, nothing of it remains.
    /// - Throws: What `body` throws; `CancellationError`; ``LockstepError/Code/busy``,
    ///   ``LockstepError/Code/closed``.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        try await writer.write(body)
    }

    /// Runs `body` on this thread with the writing connection outside any transaction, for what cannot run
    /// in one: ``Connection/vacuum()``, ``Connection/checkpoint(_:)``. No other write runs meanwhile.
    /// - Throws: What `body` throws; ``LockstepError/Code/misuse`` if it leaves a transaction open.
    public func withoutTransaction<Result>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        try refuseRecursion(into: writer.queue)
        return try writer.exclusively(body)
    }

    /// The same on the store's writing thread.
    /// - Throws: as its blocking form; `CancellationError`.
    public func withoutTransaction<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        try await writer.exclusively(body)
    }

    private func refuseRecursion(into queue: ConnectionQueue) throws(LockstepError) {
        guard !queue.isUsedHere else {
            throw LockstepError(
                .misuse, "the store is called from within its own closure",
                hint: "use the connection that the closure was given")
        }
    }

    // MARK: Closing

    /// Waits until the calls that are under way have ended, refuses new ones, closes the connections, and
    /// wipes the key. A store that nobody holds any more closes itself.
    /// - Throws: ``LockstepError/Code/misuse`` from within a closure of the store.
    public func close() throws(LockstepError) {
        try refuseRecursion(into: writer.queue)
        if let readers { try refuseRecursion(into: readers) }
        shutDown()
        ended.wait()
    }

    /// Closes everything as soon as nobody uses it.
    private func shutDown() {
        guard !isEnding.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let (ended, readers, writer, checkpointer) = (ended, readers, writer, checkpointer)
        let (observers, source) = (observers, source)
        let end: @Sendable () -> Void = {
            observers.end()
            if source.isReplaced {
                // The log that the path leads to is another database's: it is neither brought in nor removed.
                for pooled in (readers?.connections ?? []) + [writer.pooled] { pooled.leaveLogAlone() }
                checkpointer?.leaveLogAlone()
            }
            for pooled in readers?.connections ?? [] { pooled.close() }
            checkpointer?.close()
            // The last to go brings the log into the file.
            writer.pooled.close()
            source.wipe()
            ended.open()
        }
        let closeWriter: @Sendable () -> Void = { writer.queue.close(then: end) }
        if let readers { readers.close(then: closeWriter) } else { closeWriter() }
    }
}
