internal import CSQLCipher
public import SystemPackage

/// An open, encrypted database, used by one thread at a time.
///
/// ``Store`` shares a database between threads and tasks, and lends out connections. Leaving a connection's
/// scope closes it.
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

    /// SQLite's object of the connection.
    package var handle: OpaquePointer { unsafe core.database }
    var authorizer: Authorizer { core.authorizer }

    /// SQLCipher's version, such as `4.6.1 community`.
    /// - Throws: ``LockstepError/Code/libraryUnusable`` if the linked library cannot encrypt.
    public static func libraryVersion() throws(LockstepError) -> String { try LinkGuard.check() }

    // MARK: Running SQL

    /// Prepares one statement for any number of runs, or takes it from the cache. The values interpolated into
    /// `sql` are bound in each run that passes no others.
    /// - Throws: ``LockstepError/Code/misuse`` if the SQL holds no statement or several,
    ///   ``LockstepError/Code/denied``, ``LockstepError/Code/sqlFailed``.
    public func prepare(_ sql: SQL) throws(LockstepError) -> Statement {
        let sql = sql.names.isEmpty ? sql : try NamesOnConnection.found(in: sql, self)
        return try prepare(StatementKey(sql.text), sql.arguments)
    }

    /// Prepares the statement of a text, with the values of its parameters if it has some already.
    func prepare(
        _ key: StatementKey, _ arguments: SQL.Arguments = .none
    ) throws(LockstepError) -> Statement {
        // The engine and migrations have rights that the program lacks: their statements are never cached.
        guard authorizer.mode == .program else {
            return Statement(try PreparedStatement.prepare(key.text, .brief, on: core), arguments)
        }
        if let prepared = core.statements.take(key) {
            return Statement(prepared, arguments, cacheKey: key)
        }
        let prepared = try PreparedStatement.prepare(key.text, .cached, on: core)
        // A setting must be seen in each call that changes it.
        return Statement(prepared, arguments, cacheKey: authorizer.sawState ? nil : key)
    }

    /// Runs one statement to its end and ignores any rows it returns.
    /// - Throws: The errors of ``prepare(_:)`` and ``Statement/run(_:)``.
    @inlinable
    public func execute<each Parameter: Bindable>(
        _ sql: SQL, _ values: repeat each Parameter
    ) throws(LockstepError) {
        let statement = try prepare(sql)
        try statement.run(repeat each values)
    }

    /// Runs one statement once for each of `rows`: the fastest way to insert many rows.
    /// - Throws: The errors of ``prepare(_:)`` and ``Statement/run(_:)``. The rows before the one that fails have been
    ///   inserted: inside ``write(_:)`` all of them are undone.
    @inlinable
    public func execute<Element: RowEncodable>(
        _ sql: SQL, rows: [Element]
    ) throws(LockstepError) {
        let statement = try prepare(sql)
        try statement.run(rows: rows)
    }

    /// Runs any number of statements one after another, and ignores any rows they return. If one fails, the
    /// statements before it have run: inside ``write(_:)`` all of them are undone.
    /// - Throws: as ``prepare(_:)`` and ``execute(_:_:)``.
    public func run(script: String) throws(LockstepError) {
        let bytes = Array(script.utf8) + [0]
        var start = 0
        while start < bytes.count - 1 { start = try runStatement(of: bytes, from: start) }
    }

    /// Runs the statement that begins at `start` of a zero-terminated script, and returns where it ends.
    /// Scripts need this because only SQLite's parser knows where a statement ends.
    func runStatement(of script: [UInt8], from start: Int) throws(LockstepError) -> Int {
        let (prepared, end) = try PreparedStatement.prepare(script, from: start, on: core)
        if let prepared { try Statement(prepared).run() }
        return end
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed; through a readable view, in the view's table. Rows that
    /// other triggers and foreign keys changed do not count.
    public var changes: Int { core.viewWrites.changes }

    /// How many rows have changed since the connection was opened, including by triggers and foreign keys.
    var rowChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// The rowid of the last inserted row.
    public var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Whether a transaction is open.
    public var isInTransaction: Bool { core.isInTransaction }

    /// Rewrites the file without its free pages. Every row keeps its rowid. Needs about twice the file's size in free
    /// space, and cannot run inside a transaction.
    /// - Throws: ``LockstepError/Code/sqlFailed`` inside a transaction; SQLite's other errors, such as
    ///   ``LockstepError/Code/full`` and ``LockstepError/Code/busy``.
    public func vacuum() throws(LockstepError) {
        // VACUUM attaches its own temporary database; the program's SQL has no right to attach.
        let mode = authorizer.mode
        authorizer.mode = .engine
        defer { authorizer.mode = mode }
        guard !isInTransaction else { return try execute("VACUUM") }
        do {
            let kept = try KeptRowIDs(self)
            try running {
                try execute("VACUUM")
            } finally: {
                try kept.end(self)
            }
        } catch let error as LockstepError {
            throw error
        } catch {
            throw LockstepError(.sqlFailed, "the file could not be rewritten: \(error)")
        }
    }

    /// Runs `body` with different rights from those of the program's SQL.
    package func with<Result: ~Copyable>(
        rights mode: Authorizer.Mode, _ body: () throws -> Result
    ) rethrows -> Result {
        let before = authorizer.mode
        authorizer.mode = mode
        defer { authorizer.mode = before }
        return try body()
    }

    /// Throws if the connection's deadline has passed: for slow work between statements.
    /// - Throws: ``LockstepError/Code/limitExceeded``.
    package borrowing func requireTime() throws(LockstepError) { try core.requireTime() }

    // MARK: Header fields

    /// Reads a number in the database header through the pragma of this name.
    func headerField(_ pragma: StaticString) throws -> Int64 {
        try value("PRAGMA \(verbatim: "\(pragma)")", as: Int64.self) ?? 0
    }

    /// Sets a number in the database header, within the open transaction if there is one.
    func setHeaderField(_ pragma: StaticString, _ number: Int64) throws {
        try with(rights: .engine) { try setPragma(pragma, "\(number)") }
    }

    /// Sets a pragma, whose value cannot be bound as a parameter.
    func setPragma(_ pragma: StaticString, _ value: String) throws(LockstepError) {
        try execute("PRAGMA \(verbatim: "\(pragma) = \(value)")")
    }

    /// Sets how long a statement waits for another process's lock.
    func setBusyTimeout(_ milliseconds: Int32) {
        authorizer.busyTimeout = milliseconds
        unsafe sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Runs `body`, which waits for other connections' locks for at most `timeout`: with zero, a lock is an error at
    /// once.
    func waiting<Result: ~Copyable>(
        atMost timeout: Duration, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let before = authorizer.busyTimeout
        setBusyTimeout(LockWait.milliseconds(timeout))
        defer { setBusyTimeout(before) }
        return try body(self)
    }

    /// Sets how many bytes of pages the connection caches in memory.
    func setCacheSize(_ bytes: Int) throws(LockstepError) {
        try setPragma("cache_size", "-\(max(bytes / 1024, 64))")
    }
}

/// Rowids that a VACUUM leaves as they are.
///
/// SQLite gives new ones to a table that has neither a key of its own nor an index, while a full-text index over it, or
/// a program, still refers to the earlier ones. A table with an index keeps them: each of these tables has one without
/// entries meanwhile.
private struct KeptRowIDs {
    private static let prefix = "\(EngineTables.prefix)rowids_"

    private let indexes: [String]

    /// Makes the indexes.
    init(_ connection: borrowing Connection) throws {
        // A process that was killed may have left its own.
        try Self.drop(
            connection.query(
                "SELECT name FROM main.sqlite_schema WHERE type = 'index' AND substr(name, 1, ?) = ?",
                Self.prefix.utf8.count, Self.prefix, as: String.self), connection)
        let tables = try connection.query(
            """
            SELECT name, (SELECT name FROM pragma_table_info(t.name, 'main') LIMIT 1) FROM pragma_table_list AS t
            WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name, 'main'))
                AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name, 'main') WHERE pk > 0)
            """, as: (String, String).self)
        indexes = tables.indices.map { "\(Self.prefix)\($0)" }
        guard !tables.isEmpty else { return }
        try connection.write { connection in
            for (index, (table, column)) in zip(indexes, tables) {
                try connection.execute("CREATE INDEX main.\(name: index) ON \(name: table) (\(name: column)) WHERE 0")
            }
        }
    }

    /// Drops the indexes again, also after the time limit that has ended the VACUUM.
    func end(_ connection: borrowing Connection) throws {
        let timer = connection.core.timer
        connection.core.timer = nil
        defer { connection.core.timer = timer }
        try Self.drop(indexes, connection)
    }

    private static func drop(_ indexes: [String], _ connection: borrowing Connection) throws {
        guard !indexes.isEmpty else { return }
        try connection.write { connection in
            for index in indexes { try connection.execute("DROP INDEX main.\(name: index)") }
        }
    }
}
