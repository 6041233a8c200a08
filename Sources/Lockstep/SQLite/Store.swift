internal import Synchronization
public import SystemPackage

/// An encrypted database that threads and tasks share: one writer, and a reader beside it.
///
/// `read` works on a snapshot and never waits for a writer; `write` is one transaction. Both block the
/// calling thread until it is their turn, so a closure must not call the store again: it has the
/// connection that it needs.
public final class Store: Sendable {
    private let writer: LockedConnection
    private let reader: LockedConnection

    private init(writer: consuming Connection, reader: consuming Connection) {
        self.writer = LockedConnection(writer)
        self.reader = LockedConnection(reader)
    }

    /// Opens an existing database.
    /// - Throws: ``LockstepError`` that says why it does not open; see ``Diagnosis``.
    public static func open(
        _ path: FilePath, key: borrowing DatabaseKey, options: ConnectionOptions = .init()
    ) throws -> Store {
        try share(try Connection.open(path, key: key, options: options), path, key, options)
    }

    /// Makes a new database.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything stands at `path`.
    public static func create(
        _ path: FilePath, key: borrowing DatabaseKey, options: ConnectionOptions = .init()
    ) throws -> Store {
        try share(try Connection.create(path, key: key, options: options), path, key, options)
    }

    private static func share(
        _ writer: consuming Connection, _ path: FilePath, _ key: borrowing DatabaseKey,
        _ options: ConnectionOptions
    ) throws -> Store {
        var reading = options
        reading.isQueryOnly = true
        reading.sharesLog = true
        let reader = try Connection.open(path, key: key, options: reading)
        return Store(writer: writer, reader: reader)
    }

    /// Runs `body` on one snapshot of the database.
    public func read<Result: Sendable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        try reader.withLock { connection in try connection.read(body) }
    }

    /// Runs `body` in one transaction, durable when this returns; if it throws, nothing remains.
    public func write<Result: Sendable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        try writer.withLock { connection in try connection.write(body) }
    }
}

/// A connection that one thread at a time can reach.
// Sendable by this proof: `connection` is private, not copyable, and borrowed only while `lock` is held. A
// statement that a closure lets escape refuses to run, for the connection is lent to another or to nobody.
private final class LockedConnection: @unchecked Sendable {
    private let lock = Mutex<Void>(())
    private let connection: Connection

    init(_ connection: consuming Connection) {
        connection.core.borrower.takeBack()
        self.connection = connection
    }

    func withLock<Result: Sendable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        guard !connection.core.borrower.isLentHere else {
            throw LockstepError(
                .misuse, "the store is called from within its own closure",
                hint: "use the connection that the closure was given")
        }
        return try lock.withLock { _ in
            connection.core.borrower.lend()
            defer { connection.core.borrower.takeBack() }
            return try body(connection)
        }
    }
}
