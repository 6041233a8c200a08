internal import CSQLCipher

/// What a connection and its statements share. It lives as long as any of them.
@safe
final class ConnectionCore {
    let database: OpaquePointer
    let authorizer = Authorizer()
    /// Who may use the connection.
    let borrower = Borrower()
    let tracker: ChangeTracker
    let statements: StatementCache
    let control = TransactionControl()
    /// What the handle calls into the program for; it must live as long as the handle.
    var hooks: Hooks?
    /// Collects the tables that statements read as they run, while somebody wants to know.
    var usedTables: Set<String>?

    /// Takes over an open, keyed handle.
    init(owning database: OpaquePointer, cachedStatements: Int) {
        unsafe self.database = unsafe database
        tracker = unsafe ChangeTracker(database)
        statements = StatementCache(capacity: cachedStatements, borrower)
    }

    /// Whether somebody wants to know which tables statements use.
    var isWatched: Bool { tracker.isOn || usedTables != nil }

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }

    /// Closes the handle; with statements still alive it is freed when the last of them is. What hooks
    /// point to is not theirs to keep.
    func close() {
        statements.close()
        control.close()
        tracker.stop()
        unsafe sqlite3_trace_v2(database, 0, nil, nil)
        unsafe sqlite3_progress_handler(database, 0, nil, nil)
        unsafe _ = sqlite3_wal_hook(database, nil, nil)
        unsafe sqlite3_close_v2(database)
    }

    func error(_ code: Int32, sql: String? = nil) -> LockstepError {
        unsafe ResultCode.error(code, on: database, sql: sql)
    }
}
