internal import Synchronization
public import SystemPackage

/// An encrypted database that threads and tasks share: one writer and several readers.
///
/// `read` works on a snapshot and never waits for a writer; `write` is a transaction that is durable when it
/// returns. Both never run on an actor. ``blocking`` has the same calls for code that is not asynchronous: they run on
/// the calling thread.
///
/// A closure uses the connection that it receives: if it calls the store again, in any form and from any task that it
/// starts, that call throws ``LockstepError/Code/misuse``. Other stores can be called in it; a call with which tasks
/// that use several stores would wait for each other for ever throws `misuse`, too. Between the chunks of a value
/// (``chunks(of:size:)``), in the loop over an observation, and in the progress closure of a job nothing is refused.
///
/// Switching threads takes several times as long as a short asynchronous call. To avoid that, up to half of
/// Swift's threads can serve calls of all stores at a time; the other calls run on the store's own threads. A
/// Swift thread waits for the disk, but never for another process's lock.
///
/// Writes that wait while another runs share its transaction, each in a separate savepoint, so that one sync serves
/// all. A closure leaves its connection as it found it: settings that it changes with PRAGMA are put back, and its
/// temporary tables are dropped. **A closure can therefore run more than once**: if the shared transaction is lost,
/// each closure runs again by itself. Do side effects (network, files) after the call returns.
public final class Store: Sendable {
    /// The file's path from the root; `:memory:` for a store in memory.
    public let path: FilePath
    let writer: Writer
    /// Nil for a store in memory, whose one connection does everything.
    let readers: ConnectionQueue?
    /// Nil for a store in memory, and in tests whose snapshots share the readers.
    let snapshots: SnapshotReaders?
    let observers: Observers
    let checkpointer: Checkpointer?
    let isEnding = Atomic<Bool>(false)
    let ended = Latch()
    let source: StoreSource
    /// What was set aside when the store was opened, because the write-ahead log was damaged; see
    /// ``ConnectionOptions/damagedLog``.
    public let setAsideLog: SetAsideLog?
    /// Whether the file is a copy of a database of its keyring, and lies elsewhere: then the store only reads it; see
    /// ``StoreOptions/copies``.
    public let isCopy: Bool

    /// What the layer that opened it says of that.
    let report = Mutex<(any Sendable)?>(nil)

    /// A store for a file. None of its connections is open yet.
    init(_ source: StoreSource, setAsideLog: SetAsideLog? = nil, isCopy: Bool = false) {
        path = source.path.fromRoot
        self.isCopy = isCopy
        self.setAsideLog = setAsideLog
        self.source = source
        observers = Observers()
        let log = Checkpointer(
            PooledConnection { try source.openCheckpointer() }, threshold: source.options.checkpointPages)
        checkpointer = log
        snapshots = source.options.sharesReaders ? nil : SnapshotReaders(source)
        readers = ConnectionQueue(
            (0..<max(source.options.readers, 1)).map { _ in
                PooledConnection(cacheShare: { source.readerCacheBytes }) {
                    try source.openReader()
                }
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
        setAsideLog = nil
        isCopy = false
        self.source = source
        observers = Observers()
        checkpointer = nil
        readers = nil
        snapshots = nil
        let pooled = PooledConnection { throw ConnectionQueue.closed }
        pooled.take(connection)
        writer = Writer(pooled, observers, nil, source)
    }

    deinit { shutDown() }

    /// Uses a writer that is already open.
    func takeWriter(_ connection: consuming Connection) {
        if let checkpointer { connection.watchLog(checkpointer) }
        writer.pooled.take(connection)
    }

    /// The queue in which a call can have to wait.
    func queue(for need: StoreCall.Need) -> ConnectionQueue? {
        switch need {
        case .reader: readers ?? writer.queue
        case .writer: writer.queue
        case .snapshot: snapshots != nil ? nil : readers ?? writer.queue
        case .end: nil
        }
    }

    // MARK: Reading

    /// Runs `body` on this thread, on one snapshot.
    func onReader<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        guard let readers else {
            return try writer.exclusively { connection in try connection.readOnly(body) }
        }
        let pooled = try readers.take()
        defer { readers.giveBack(pooled) }
        return try pooled.use { connection in try connection.read(body) }
    }

    /// Runs one of the engine's jobs on a snapshot. Its progress closure can call the store, except in a store in
    /// memory, whose connection the job has.
    func snapshot<Result>(
        for job: String, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let call = try StoreCall(job, of: self, .snapshot)
        defer { call.leave() }
        guard let snapshots else {
            return try onReader { connection in try call.run { try body(connection) } }
        }
        let pooled = try snapshots.take()
        defer { snapshots.giveBack(pooled) }
        return try pooled.use { connection in
            try call.run { try connection.read(body) }
        }
    }

    /// Runs `body` on one snapshot of the database, never on an actor. Cancelling the task interrupts it.
    ///
    /// It waits while ``StoreOptions/readers`` other reads run, and for nothing else.
    /// - Throws: Any error from `body`; `CancellationError`; ``LockstepError/Code/closed``;
    ///   ``LockstepError/Code/misuse`` inside of a closure of the store.
    @concurrent
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        let call = try StoreCall("read", of: self, .reader)
        defer { call.leave() }
        let body = call.running(body)
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

    /// Runs `body` in a transaction, never on an actor, and returns when it is durable. If `body` throws, or
    /// the task is cancelled before its part is done, none of its changes remain.
    /// - Throws: Any error from `body`; `CancellationError`; ``LockstepError/Code/busy``,
    ///   ``LockstepError/Code/closed``.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        let call = try StoreCall("write", of: self, .writer)
        defer { call.leave() }
        return try await writer.write(call.running(body))
    }

    /// Runs `body` with the writing connection outside any transaction, for operations that cannot run in one:
    /// ``Connection/vacuum()``, ``Connection/checkpoint(_:)``. It runs on the store's writing thread. No other write
    /// runs meanwhile.
    /// - Throws: Any error from `body`; ``LockstepError/Code/misuse`` if it leaves a transaction open;
    ///   `CancellationError`; ``LockstepError/Code/closed``.
    public func withoutTransaction<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        let call = try StoreCall("withoutTransaction", of: self, .writer)
        defer { call.leave() }
        return try await writer.exclusively(call.running(body))
    }
}
