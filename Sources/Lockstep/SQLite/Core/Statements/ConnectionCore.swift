internal import CSQLCipher
internal import SystemPackage

/// The state that a connection and its statements share. It lives as long as any of them.
@safe
final class ConnectionCore {
    let database: OpaquePointer
    let authorizer = Authorizer()
    /// Which thread can use the connection.
    let owner = ConnectionOwner()
    let tracker: ChangeTracker
    let viewWrites: ViewWrites
    let statements: StatementCache
    let control = TransactionControl()
    let lockWait: LockWait
    let readCheck = ReadCheck()
    private let schemaNumber = HeaderNumber("schema_version")
    private let dataNumber = HeaderNumber("data_version")
    /// The program's callbacks that the handle invokes; they must live as long as the handle.
    var hooks: Hooks?
    /// Ends statements that exceed a time limit, if there is one.
    var timer: StatementTimer? { didSet { hasTimer.isSet = timer != nil } }
    private let hasTimer = Flag()
    /// The stand-in for FTS5, on a connection that reads a file of unknown origin.
    var disabledFTS5: DisabledFTS5?
    /// The collations that the program has added.
    var collations: Set<SQLName> = []
    /// What an upper layer has added to the connection.
    var attachment = Attachment()
    /// How many rows an order by a sealed column can open.
    var maximumOpenedRows = Int.max
    /// Whether the schema has been looked at since the transaction, or a change of the schema, began. Only another
    /// transaction can see a change of others.
    let knowsSchema = Flag()
    /// Whether others can use the file too: not while it is being made, and not in memory.
    var isShared = false
    /// Whether the file is a copy of a database, elsewhere: a change would make it another database.
    var isCopy = false
    /// The log that closing leaves as it is; nil if the last connection to close copies it into the database.
    var untouchedLog: FilePath?
    /// The file, if it is read without locks.
    var unchanging: UnchangingFile?
    /// How the connection was before the closure that uses it changed its settings; nil if it has changed none.
    var stateBefore: ConnectionState?
    /// What opening has set aside.
    var setAsideLog: SetAsideLog?
    /// The last error of one of the engine's functions: SQLite passes on only its message.
    var functionFailure: LockstepError?
    /// Counts commits while an observer needs them. The handle calls it, so it must live as long.
    var commitWatch: AnyObject?
    /// Collects the tables that running statements read, while an observer needs them.
    var usedTables: Set<SQLName>? { didSet { asksForTables.isSet = usedTables != nil } }
    private let asksForTables = Flag()
    /// Receives statements before they run.
    var watch: (any StatementWatch)? { didSet { hasWatch.isSet = watch != nil } }
    private let hasWatch = Flag()
    /// How often a piece of a blob or a text was written, which SQLite does not count as a change of a row.
    var blobWrites: Int64 = 0
    /// How often a statement that changes the schema has run under a watch, or a watch has begun.
    var schemaChanges = 0

    /// Takes over an open, keyed handle.
    init(owning database: OpaquePointer, cachedStatements: Int) {
        unsafe self.database = unsafe database
        tracker = unsafe ChangeTracker(database)
        viewWrites = unsafe ViewWrites(database)
        statements = StatementCache(capacity: cachedStatements, owner)
        lockWait = unsafe LockWait(database, authorizer, owner)
    }

    /// Whether a watch receives statements before they run.
    var isGuarded: Bool { hasWatch.isSet }

    /// Whether an observer needs the tables that statements use.
    var isWatched: Bool { tracker.isOn || asksForTables.isSet }

    /// Whether statements have a time limit.
    var isTimed: Bool { hasTimer.isSet }

    /// - Throws: ``LockstepError/Code/limitExceeded`` past the connection's deadline.
    func requireTime() throws(LockstepError) {
        if isTimed { _ = try timer?.begin("the rest") }
    }

    private(set) var isClosed = false
    /// Whether a partial rollback of the open transaction has failed, so that all of it must be undone.
    var isDoomed: Bool {
        get { doomed.isSet }
        set { doomed.isSet = newValue }
    }
    private let doomed = Flag()

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }

    /// The number that SQLite increments at each change of the schema.
    func schemaVersion() throws(LockstepError) -> Int64 { try schemaNumber.read(self) }

    /// A number that changes when another connection commits; the connection's own commits leave it unchanged.
    func dataVersion() throws(LockstepError) -> Int64 { try dataNumber.read(self) }

    /// How many rows the statement that ended last has changed itself.
    var changes: Int64 { unsafe sqlite3_changes64(database) }

    /// How many rows all statements have changed, with their triggers and foreign keys.
    var totalChanges: Int64 { unsafe sqlite3_total_changes64(database) }

    /// Whether foreign keys are enforced. SQLite prepares the pragma again on each run, so this asks directly.
    var enforcesForeignKeys: Bool {
        unsafe lockstep_db_config_value(database, SQLITE_DBCONFIG_ENABLE_FKEY) != 0
    }

    /// Whether one of the statements that are running has such SQL: those whose rows are being read, and the one that
    /// calls a function.
    func isRunning(where matches: (String) -> Bool) -> Bool {
        var next = unsafe sqlite3_next_stmt(database, nil)
        while let statement = unsafe next {
            if unsafe sqlite3_stmt_busy(statement) != 0, let sql = unsafe sqlite3_sql(statement),
                unsafe matches(String(cString: sql))
            {
                return true
            }
            unsafe next = unsafe sqlite3_next_stmt(database, statement)
        }
        return false
    }

    /// Closes the handle. If statements are still alive, SQLite frees it with the last of them. The hooks are
    /// removed: the objects they point to do not live that long.
    func close() {
        isClosed = true
        statements.close()
        control.close()
        readCheck.close()
        schemaNumber.close()
        dataNumber.close()
        attachment = Attachment()
        tracker.stop()
        unsafe sqlite3_trace_v2(database, 0, nil, nil)
        unsafe sqlite3_progress_handler(database, 0, nil, nil)
        unsafe sqlite3_busy_timeout(database, 0)
        unsafe _ = sqlite3_wal_hook(database, nil, nil)
        leaveLogAlone()
        unsafe sqlite3_close_v2(database)
    }

    /// Another connection can have written since this one was opened.
    private func leaveLogAlone() {
        guard let untouchedLog, (try? FileAccess.sizeOfRegularFile(untouchedLog)) ?? 0 > 0 else {
            return
        }
        _ = unsafe lockstep_db_config_flag(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// Refuses `what` if an error has ended the transaction before its closure: it would run outside the
    /// transaction, and stay committed although the closure fails.
    func requireTransactionGoesOn(_ what: @autoclosure () -> String) throws(LockstepError) {
        guard authorizer.openTransactions == 0 || (isInTransaction && !isDoomed) else {
            throw LockstepError(
                .misuse, "the transaction has ended, so this is not run: \(what())",
                hint: "pass on the error that ended it instead of catching it")
        }
    }

    func error(_ code: Int32, sql: String? = nil) -> LockstepError {
        if let failure = functionFailure, code == SQLITE_ERROR,
            unsafe String(cString: sqlite3_errmsg(database)).hasSameBytes(as: failure.message)
        {
            functionFailure = nil
            return failure
        }
        if isTimed, let failure = timer?.error(code, in: sql) { return failure }
        return unsafe ResultCode.error(code, on: database, sql: sql)
    }
}
