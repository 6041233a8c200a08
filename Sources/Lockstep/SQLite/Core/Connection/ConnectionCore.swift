internal import CSQLCipher

/// What a connection and its statements share. It lives as long as any of them.
@safe
final class ConnectionCore {
    let database: OpaquePointer
    let authorizer = Authorizer()
    /// Who may use the connection.
    let borrower = ConnectionOwner()
    let tracker: ChangeTracker
    let statements: StatementCache
    let control = TransactionControl()
    let readCheck = ReadCheck()
    private let schemaNumber = HeaderNumber("schema_version")
    private let dataNumber = HeaderNumber("data_version")
    /// What the handle calls into the program for; it must live as long as the handle.
    var hooks: Hooks?
    /// Ends what takes too long, where there is a limit.
    var timer: StatementTimer? { didSet { hasTimer.isSet = timer != nil } }
    private let hasTimer = Flag()
    /// Where FTS5 was kept from the file.
    var closedFullText: ClosedFullText?
    /// What a layer above has added to the connection.
    var attachment: (any ConnectionAttachment)?
    /// The database's key, where a layer above opens connections of its own.
    var key: SharedSecret<DatabaseKey>?
    /// The tables that a layer above found sealed columns of, as of a version of the schema.
    var claimed: (schema: Int64, tables: Set<String>)?
    private var insertedRow: Int64 = 0
    private let hasInsertedRow = Flag()
    /// Why a function of the engine's failed last: SQLite passes on no more than its message.
    var functionFailure: LockstepError?
    /// Counts commits, while somebody wants to know; it must live as long as the handle.
    var commitWatch: CommitWatch?
    /// Collects the tables that statements read as they run, while somebody wants to know.
    var usedTables: Set<String>? { didSet { asksForTables.isSet = usedTables != nil } }
    private let asksForTables = Flag()
    /// Is told of statements before they run.
    var watch: (any StatementWatch)? { didSet { hasWatch.isSet = watch != nil } }
    private let hasWatch = Flag()
    /// How often statements that change the schema have run under a watch, and watches have begun.
    var schemaChanges = 0

    /// Takes over an open, keyed handle.
    init(owning database: OpaquePointer, cachedStatements: Int) {
        unsafe self.database = unsafe database
        tracker = unsafe ChangeTracker(database)
        statements = StatementCache(capacity: cachedStatements, borrower)
    }

    /// Notes the row that a trigger has inserted in place of a view.
    func noteInsertedRow(_ row: Int64) {
        insertedRow = row
        hasInsertedRow.isSet = true
    }

    /// Forgets a row that was noted by a statement that failed, and with it undone.
    func forgetInsertedRow() { hasInsertedRow.isSet = false }

    /// Makes a row that was noted what SQLite says was inserted last, once the statement has ended.
    func tellInsertedRow() {
        guard hasInsertedRow.isSet else { return }
        hasInsertedRow.isSet = false
        unsafe sqlite3_set_last_insert_rowid(database, insertedRow)
    }

    /// Whether somebody is to be told of statements before they run.
    var isGuarded: Bool { hasWatch.isSet }

    /// Whether somebody wants to know which tables statements use.
    var isWatched: Bool { tracker.isOn || asksForTables.isSet }

    /// Whether what runs is limited in time.
    var isTimed: Bool { hasTimer.isSet }

    /// - Throws: ``LockstepError/Code/limitExceeded`` past the connection's deadline.
    func requireTime() throws(LockstepError) {
        if isTimed { _ = try timer?.begin("the rest") }
    }

    private(set) var isClosed = false
    /// Whether undoing a part of the open transaction has failed, so that all of it has to be undone.
    var isDoomed: Bool {
        get { doomed.isSet }
        set { doomed.isSet = newValue }
    }
    private let doomed = Flag()

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }

    /// The number that SQLite counts up at each change of the schema.
    func schemaVersion() throws(LockstepError) -> Int64 { try schemaNumber.read(self) }

    /// A number that is another one after others have committed; one's own commits leave it as it is.
    func dataVersion() throws(LockstepError) -> Int64 { try dataNumber.read(self) }

    /// Whether foreign keys are enforced. SQLite prepares the pragma anew each time that it is run.
    var enforcesForeignKeys: Bool {
        unsafe lockstep_db_config_value(database, SQLITE_DBCONFIG_ENABLE_FKEY) != 0
    }

    /// Closes the handle; with statements still alive it is freed when the last of them is. What hooks
    /// point to is not theirs to keep.
    func close() {
        isClosed = true
        statements.close()
        control.close()
        readCheck.close()
        schemaNumber.close()
        dataNumber.close()
        attachment = nil
        key = nil
        tracker.stop()
        unsafe sqlite3_trace_v2(database, 0, nil, nil)
        unsafe sqlite3_progress_handler(database, 0, nil, nil)
        unsafe _ = sqlite3_wal_hook(database, nil, nil)
        unsafe sqlite3_close_v2(database)
    }

    /// Where an error has ended the transaction before its closure, what the closure does next would stand
    /// alone, and be durable although the closure fails.
    func requireTransactionGoesOn(_ what: @autoclosure () -> String) throws(LockstepError) {
        guard authorizer.openTransactions == 0 || (isInTransaction && !isDoomed) else {
            throw LockstepError(
                .misuse, "the transaction has ended, so this is not run: \(what())",
                hint: "pass on the error that ended it instead of catching it")
        }
    }

    func error(_ code: Int32, sql: String? = nil) -> LockstepError {
        if let failure = functionFailure, code == SQLITE_ERROR,
            unsafe String(cString: sqlite3_errmsg(database)) == failure.message
        {
            functionFailure = nil
            return failure
        }
        if isTimed, let failure = timer?.error(code, in: sql) { return failure }
        return unsafe ResultCode.error(code, on: database, sql: sql)
    }
}
