internal import CSQLCipher

/// A connection of a store, with the thread that runs asynchronous calls on it. Whoever holds the pooled connection
/// uses the connection.
// Sendable by this proof: `connection` and `cacheBytes` are touched only by the holder, and a `ConnectionQueue`
// gives a pooled connection to one holder at a time, under its lock; so is `lentThread`; `user` guards `userCall` and
// `userCore`.
final class PooledConnection: @unchecked Sendable {
    /// Opens a connection of the store.
    typealias Opener = @Sendable () throws -> Connection

    let worker = WorkerThread()
    private let opener: Opener
    private var connection: SeatConnection?
    /// How many bytes of pages the connection may keep now; it changes as others are opened.
    private let cacheShare: (@Sendable () -> Int)?
    private var cacheBytes: Int?
    /// Guards what other threads ask for: who is using the connection.
    private let user = Condition()
    private var userCall: ObjectIdentifier?
    private var userCore: ConnectionCore?

    init(
        cacheShare: (@Sendable () -> Int)? = nil, opener: @escaping Opener
    ) {
        self.cacheShare = cacheShare
        self.opener = opener
    }

    /// The thread of Swift's that has the pooled connection, if it is one.
    private(set) var lentThread: CallerThreadPermit?

    func use(on thread: CallerThreadPermit) { lentThread = thread }

    /// The pooled connection goes to another thread, or to nobody.
    func leaveLentThread() {
        lentThread?.giveBack()
        lentThread = nil
    }

    /// Takes a connection that is open already.
    func take(_ connection: consuming Connection) {
        connection.core.borrower.takeBack()
        self.connection = SeatConnection(connection)
    }

    /// Runs `body` on this thread with the connection, which is opened if it is not yet.
    /// - Parameter call: Who may be interrupted meanwhile; see ``interrupt(_:)``.
    func use<Result>(
        for call: AnyObject? = nil, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let connection = try opened()
        let core = connection.value.core
        user.locked {
            userCall = call.map(ObjectIdentifier.init)
            userCore = core
            core.borrower.lend()
        }
        defer {
            user.locked {
                core.borrower.takeBack()
                userCall = nil
                userCore = nil
            }
        }
        core.statements.sweep()
        try adaptCache(connection.value)
        return try body(connection.value)
    }

    /// Stops what `call` is running, if it is using the connection. Any thread may call this.
    func interrupt(_ call: AnyObject) {
        user.locked {
            guard userCall == ObjectIdentifier(call), let core = userCore else { return }
            core.borrower.cancel()
            unsafe sqlite3_interrupt(core.database)
        }
    }

    /// Whether this thread is inside a closure that uses the connection.
    var isUsedHere: Bool {
        user.locked { userCore?.borrower.isLentHere ?? false }
    }

    /// Keeps closing from bringing the log into the file and removing it.
    func leaveLogAlone() {
        guard let connection else { return }
        unsafe _ = lockstep_db_config_flag(
            connection.value.core.database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// Closes the connection.
    func close() { connection = nil }

    private func adaptCache(_ connection: borrowing Connection) throws {
        guard let bytes = cacheShare?(), bytes != cacheBytes else { return }
        try connection.with(rights: .engine) { try connection.setCacheSize(bytes) }
        cacheBytes = bytes
    }

    private func opened() throws -> SeatConnection {
        if let connection { return connection }
        let opened = try SeatConnection(opener())
        opened.value.core.borrower.takeBack()
        connection = opened
        return opened
    }
}

/// A connection where a class is needed.
private final class SeatConnection {
    let value: Connection

    init(_ value: consuming Connection) { self.value = value }
}
