extension Store {
    /// The store's calls for code that is not asynchronous, such as a command-line tool's or a thread's: each blocks
    /// the calling thread until it is done. Asynchronous code cannot call them, since Swift's few threads must not
    /// wait.
    public var blocking: Blocking { Blocking(store: self) }

    /// A store's calls that block: see ``Store/blocking``.
    public struct Blocking: Sendable {
        let store: Store
    }
}

extension Store.Blocking {
    /// Runs `body` on this thread, on one snapshot of the database. Blocks until a connection is free.
    /// - Throws: Any error from `body`; ``LockstepError/Code/closed``.
    @available(*, noasync, message: "this blocks the thread: use `try await store.read`")
    public func read<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        let call = try StoreCall("read", of: store, .reader)
        defer { call.leave() }
        return try store.onReader { connection in try call.run(on: connection, body) }
    }

    /// Runs `body` on this thread in a transaction and returns when it is durable. If `body` throws, none of
    /// its changes remain. Blocks until it is its turn.
    /// - Throws: Any error from `body`; ``LockstepError/Code/busy`` if another process holds the write lock
    ///   for longer than the busy timeout; ``LockstepError/Code/closed``.
    @available(*, noasync, message: "this blocks the thread: use `try await store.write`")
    public func write<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        let call = try StoreCall("write", of: store, .writer)
        defer { call.leave() }
        return try store.writer.write { connection in try call.run(on: connection, body) }
    }

    /// Runs `body` on this thread with the writing connection outside any transaction: see
    /// ``Store/withoutTransaction(_:)``. No other write runs meanwhile.
    /// - Throws: Any error from `body`; ``LockstepError/Code/misuse`` if it leaves a transaction open;
    ///   ``LockstepError/Code/closed``.
    @available(*, noasync, message: "blocks the thread: use `try await store.withoutTransaction`")
    public func withoutTransaction<Result>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let call = try StoreCall("withoutTransaction", of: store, .writer)
        defer { call.leave() }
        return try store.writer.exclusively { connection in try call.run(on: connection, body) }
    }
}
