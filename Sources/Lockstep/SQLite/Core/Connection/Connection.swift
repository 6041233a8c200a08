internal import CSQLCipher
public import SystemPackage

/// An open, encrypted database, used by one thread at a time.
///
/// ``Store`` shares a database between threads and tasks; a connection is what it lends out.
/// Leaving its scope closes it.
@safe
public struct Connection: ~Copyable {
    /// The file, or `:memory:`.
    public let path: FilePath
    let core: ConnectionCore

    /// Takes over an open, keyed handle.
    init(owning core: ConnectionCore, path: FilePath) {
        self.core = core
        self.path = path
    }

    deinit { core.close() }

    var handle: OpaquePointer { unsafe core.database }
    var authorizer: Authorizer { core.authorizer }

    /// SQLCipher's version, such as `4.6.1 community`.
    /// - Throws: ``LockstepError/Code/libraryUnusable`` if what is linked cannot encrypt.
    public static func libraryVersion() throws(LockstepError) -> String { try LinkGuard.check() }

    // MARK: Running SQL

    /// Prepares one statement, to be run any number of times, or takes it from the cache. Values that
    /// are interpolated into `sql` are bound at each run that is given no others.
    /// - Throws: ``LockstepError/Code/misuse`` for SQL with no statement or several,
    ///   ``LockstepError/Code/denied``, ``LockstepError/Code/sqlFailed``.
    public func prepare(_ sql: SQL) throws(LockstepError) -> Statement {
        // What the engine and migrations may run, the program may not: theirs are never kept.
        guard authorizer.mode == .program else {
            return Statement(
                try PreparedStatement.prepare(sql.text, .brief, on: core), sql.arguments)
        }
        if let prepared = core.statements.take(sql.text) {
            return Statement(prepared, sql.arguments, cacheKey: sql.text)
        }
        let prepared = try PreparedStatement.prepare(sql.text, .cached, on: core)
        return Statement(prepared, sql.arguments, cacheKey: sql.text)
    }

    /// Runs one statement to its end and ignores the rows it may yield.
    @inlinable
    public func execute<each Parameter: Bindable>(
        _ sql: SQL, _ values: repeat each Parameter
    ) throws(LockstepError) {
        let statement = try prepare(sql)
        try statement.run(repeat each values)
    }

    /// Runs one statement once with each of `rows`: the fastest way to insert many.
    @inlinable
    public func execute<Element: RowEncodable>(
        _ sql: SQL, rows: [Element]
    ) throws(LockstepError) {
        let statement = try prepare(sql)
        try statement.run(rows: rows)
    }

    /// Runs any number of statements one after another, and ignores the rows they may yield. Where one
    /// fails, those before it have run: inside ``write(_:)`` all of them are undone.
    /// - Throws: as ``prepare(_:)`` and ``execute(_:_:)``.
    public func run(script: String) throws(LockstepError) {
        let bytes = Array(script.utf8) + [0]
        var start = 0
        while start < bytes.count - 1 { start = try runStatement(of: bytes, from: start) }
    }

    /// Runs the statement that begins at `start` of a script, which ends with a zero byte, and gives where
    /// it ends: how scripts are run, since SQLite's parser alone knows that.
    func runStatement(of script: [UInt8], from start: Int) throws(LockstepError) -> Int {
        let (prepared, end) = try PreparedStatement.prepare(script, from: start, on: core)
        if let prepared { try Statement(prepared).run() }
        return end
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    public var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    /// How many rows have been changed since the connection was opened, by triggers and foreign keys too.
    var rowChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// The rowid of the last inserted row.
    public var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Whether a transaction is open.
    public var isInTransaction: Bool { core.isInTransaction }

    /// Rewrites the file without its free pages. Takes about twice the file's size in free space, and
    /// cannot run inside a transaction.
    public func vacuum() throws(LockstepError) {
        // VACUUM attaches a temporary database of its own, which the program's SQL may not.
        let mode = authorizer.mode
        authorizer.mode = .engine
        defer { authorizer.mode = mode }
        try execute("VACUUM")
    }

    /// Runs `body` with other rights than the program's SQL has.
    func with<Result: ~Copyable>(
        rights mode: Authorizer.Mode, _ body: () throws -> Result
    ) rethrows -> Result {
        let before = authorizer.mode
        authorizer.mode = mode
        defer { authorizer.mode = before }
        return try body()
    }

    // MARK: Header fields

    /// A number of the database header that a pragma of this name reads.
    func headerField(_ pragma: StaticString) throws -> Int64 {
        try value("PRAGMA \(verbatim: "\(pragma)")", as: Int64.self) ?? 0
    }

    /// Sets a number of the database header; part of the transaction, if one is open.
    func setHeaderField(_ pragma: StaticString, _ number: Int64) throws {
        try with(rights: .engine) { try setPragma(pragma, "\(number)") }
    }

    /// Sets a pragma, whose value cannot be bound.
    func setPragma(_ pragma: StaticString, _ value: String) throws(LockstepError) {
        try execute("PRAGMA \(verbatim: "\(pragma) = \(value)")")
    }

    /// Sets how long a statement waits for a lock that another process has.
    func setBusyTimeout(_ milliseconds: Int32) {
        authorizer.busyTimeout = milliseconds
        unsafe sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Runs `body`, in which a lock that another process has is an error at once.
    func withoutWaiting(_ body: (borrowing Connection) throws -> Void) throws {
        let usual = authorizer.busyTimeout
        setBusyTimeout(0)
        defer { setBusyTimeout(usual) }
        try body(self)
    }

    /// Sets how many bytes of pages the connection keeps in memory.
    func setCacheSize(_ bytes: Int) throws(LockstepError) {
        try setPragma("cache_size", "-\(max(bytes / 1024, 64))")
    }
}
