internal import CSQLCipher
internal import Synchronization

/// A connection of a store, with the thread that runs asynchronous calls on it. Only the holder of the pooled
/// connection uses the connection.
// Sendable by this proof: `connection`, `cacheBytes` and `callerThread` are touched only by the holder, and a
// `ConnectionQueue` gives a pooled connection to one holder at a time, under its lock; `user` guards `userCall`
// and `userCore`.
final class PooledConnection: @unchecked Sendable {
    /// Opens a connection of the store.
    typealias Opener = @Sendable () throws -> Connection

    let worker = WorkerThread()
    private let opener: Opener
    private var connection: ConnectionBox?
    /// How many bytes of pages the connection can cache now. Changes as other connections open.
    private let cacheShare: (@Sendable () -> Int)?
    private var cacheBytes: Int?
    /// Guards the state that other threads read: who is using the connection.
    private let user = WaitCondition()
    private var userCall: ObjectIdentifier?
    private var userCore: ConnectionCore?
    /// The thread of Swift's that serves it; 0 for none.
    private let server = Atomic<UInt>(0)

    init(
        cacheShare: (@Sendable () -> Int)? = nil, opener: @escaping Opener
    ) {
        self.cacheShare = cacheShare
        self.opener = opener
    }

    /// The Swift thread that holds the pooled connection, if one does.
    private(set) var callerThread: CallerThreadPermit?

    func use(on thread: CallerThreadPermit) { callerThread = thread }

    /// Called when the pooled connection moves to another thread or becomes idle.
    func leaveCallerThread() {
        callerThread?.giveBack()
        callerThread = nil
    }

    /// Takes over a connection that is already open.
    func take(_ connection: consuming Connection) {
        self.connection = ConnectionBox(connection)
    }

    /// Runs `body` on this thread with the connection, which is opened first if necessary.
    /// - Parameter call: The call that can be interrupted meanwhile; see ``interrupt(_:)``.
    func use<Result>(
        for call: AnyObject? = nil, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let connection = try opened()
        let core = connection.value.core
        user.locked {
            userCall = call.map(ObjectIdentifier.init)
            userCore = core
            core.owner.lend()
        }
        defer {
            user.locked {
                core.owner.takeBack()
                userCall = nil
                userCore = nil
            }
        }
        core.statements.sweep()
        try adaptCache(connection.value)
        return try body(connection.value)
    }

    /// Interrupts `call` if it is using the connection. Any thread can call this.
    func interrupt(_ call: AnyObject) {
        user.locked {
            guard userCall == ObjectIdentifier(call), let core = userCore else { return }
            core.owner.cancel()
            unsafe sqlite3_interrupt(core.database)
        }
    }

    /// Whether the connection is open.
    var isOpen: Bool { connection != nil }

    /// Closes the connection; false if it was not open.
    @discardableResult
    func close() -> Bool {
        defer { connection = nil }
        return isOpen
    }

    // MARK: Threads that serve it

    /// Notes that this thread of Swift's runs the calls that the pooled connection is passed on to, until
    /// ``endServing()``.
    func beginServing() { server.store(ThreadIdentity.current, ordering: .relaxed) }

    func endServing() {
        _ = server.compareExchange(
            expected: ThreadIdentity.current, desired: 0, ordering: .relaxed)
    }

    /// Whether the pooled connection, or a call that it was given to, waits for the calling thread.
    var isServedHere: Bool {
        if worker.isCurrent || server.load(ordering: .relaxed) == ThreadIdentity.current {
            return true
        }
        return user.locked { userCore?.owner.isHere == true }
    }

    private func adaptCache(_ connection: borrowing Connection) throws {
        guard let bytes = cacheShare?(), bytes != cacheBytes else { return }
        try connection.with(rights: .engine) { try connection.setCacheSize(bytes) }
        cacheBytes = bytes
    }

    private func opened() throws -> ConnectionBox {
        if let connection { return connection }
        let opened = try ConnectionBox(opener())
        connection = opened
        return opened
    }
}

/// Wraps a connection where a class is required.
private final class ConnectionBox {
    let value: Connection

    init(_ value: consuming Connection) { self.value = value }
}
