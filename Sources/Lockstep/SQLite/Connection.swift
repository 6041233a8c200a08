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
    let handle: OpaquePointer
    let authorizer: Authorizer

    /// Takes over an open, keyed handle.
    init(owning handle: OpaquePointer, _ authorizer: Authorizer, path: FilePath) {
        unsafe self.handle = unsafe handle
        self.authorizer = authorizer
        self.path = path
    }

    // With statements still alive the handle is freed when the last of them is.
    deinit { unsafe sqlite3_close_v2(handle) }

    /// SQLCipher's version, such as `4.6.1 community`.
    /// - Throws: ``LockstepError/Code/libraryUnusable`` if what is linked cannot encrypt.
    public static func libraryVersion() throws(LockstepError) -> String { try LinkGuard.check() }

    // MARK: Running SQL

    /// Prepares one statement, to be run any number of times.
    /// - Throws: ``LockstepError/Code/misuse`` for SQL with no statement or several,
    ///   ``LockstepError/Code/denied``, ``LockstepError/Code/sqlFailed``.
    public func prepare(_ sql: String) throws(LockstepError) -> Statement {
        unsafe try Statement(sql, on: handle, authorizer)
    }

    /// Runs one statement to its end and ignores the rows it may yield.
    public func execute<each Parameter: Bindable>(
        _ sql: String, _ values: repeat each Parameter
    ) throws(LockstepError) {
        let statement = try prepare(sql)
        try statement.run(repeat each values)
    }

    /// Runs the statement that begins at `start` of a script, which ends with a zero byte, and gives where
    /// it ends: how scripts are run, since SQLite's parser alone knows that.
    func runStatement(of script: [UInt8], from start: Int) throws(LockstepError) -> Int {
        let (statement, end) = unsafe try Statement.prepare(
            script, from: start, on: handle, authorizer)
        if let statement = unsafe statement {
            try unsafe Statement(owning: statement, on: handle, authorizer).run()
        }
        return end
    }

    /// What `row` makes of each row of a query.
    public func query<each Parameter: Bindable, Element>(
        _ sql: String, _ values: repeat each Parameter,
        row: (borrowing Row) throws -> Element
    ) throws -> [Element] {
        let statement = try prepare(sql)
        return try statement.map(repeat each values, row: row)
    }

    /// The first column of a query's first row, or nil if there is no row.
    public func value<each Parameter: Bindable, Element: ColumnDecodable>(
        _ sql: String, _ values: repeat each Parameter, as type: Element.Type = Element.self
    ) throws -> Element? {
        let statement = try prepare(sql)
        return try statement.first(repeat each values) { row in try row[0] as Element }
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    public var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    /// The rowid of the last inserted row.
    public var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Whether a transaction is open.
    public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

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
        try value("PRAGMA \(pragma)", as: Int64.self) ?? 0
    }

    /// Sets a number of the database header; part of the transaction, if one is open.
    func setHeaderField(_ pragma: StaticString, _ number: Int64) throws {
        try with(rights: .engine) { try execute("PRAGMA \(pragma) = \(number)") }
    }
}
