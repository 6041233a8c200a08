internal import CSQLCipher

/// A compiled statement and its metadata. One ``Statement`` at a time uses it.
@safe
@usableFromInline
final class PreparedStatement: StatementHandle {
    let core: ConnectionCore
    let parameterCount: Int32
    /// SQLite asks the authorizer only during preparation, so a statement prepared before a transaction must be
    /// kept from ending it.
    let controlsTransaction: Bool
    private let changesSchema: Bool
    /// The tables that the statement read and wrote as of preparation number ``tablePreparations``.
    private var tables: TableUse
    private var tablePreparations: Int32 = 0
    /// How many schema changes had been seen when `tables` was current.
    private var knownChanges: Int
    private let isNoted = Flag()
    /// When the run began, if runs have a time limit.
    var began: ContinuousClock.Instant?

    /// Whether values are already bound, so that a run needs none.
    let isBound = Flag()
    private var isFinalized = false

    private init(owning handle: OpaquePointer, on core: ConnectionCore) {
        self.core = core
        parameterCount = unsafe sqlite3_bind_parameter_count(handle)
        controlsTransaction = core.authorizer.sawTransactionControl
        tables = core.authorizer.tableUse
        changesSchema = core.authorizer.tableUse.schema != nil
        knownChanges = core.schemaChanges
        unsafe super.init(handle, hasParameters: parameterCount > 0)
    }

    deinit { finalize() }

    /// Finalizes the statement; it must not be used again.
    func finalize() {
        guard !isFinalized else { return }
        isFinalized = true
        giveBackReader()
        unsafe sqlite3_finalize(handle)
    }

    // MARK: Preparing

    /// How long a statement is kept.
    enum Lifetime {
        case brief, cached
    }

    /// Prepares the only statement of `sql`.
    /// - Throws: ``LockstepError/Code/misuse`` if the SQL holds no statement or several.
    static func prepare(
        _ sql: String, _ lifetime: Lifetime, on core: ConnectionCore
    ) throws(LockstepError) -> PreparedStatement {
        let script = Array(sql.utf8) + [0]
        let (prepared, end) = try prepare(script, from: 0, lifetime, on: core)
        guard let prepared else {
            throw LockstepError(.misuse, "there is no statement in: \(SQLTokens.redact(sql))")
        }
        guard end == script.count - 1 || SQLTokens.areBlank(Array(script[end..<(script.count - 1)])) else {
            throw LockstepError(
                .misuse, "expected one statement, but there are several: \(SQLTokens.redact(sql))",
                hint: "run them one at a time")
        }
        return prepared
    }

    /// Prepares one of the engine's own statements, which is kept for as long as the connection.
    static func engines(
        _ sql: String, on core: ConnectionCore
    ) throws(LockstepError) -> PreparedStatement {
        let mode = core.authorizer.mode
        core.authorizer.mode = .engine
        defer { core.authorizer.mode = mode }
        return try prepare(sql, .cached, on: core)
    }

    /// Prepares the statement that begins at `start` of a script; also returns where the next one can begin.
    /// Blank SQL contains no statement. A zero byte ends the script, so that SQLite does not copy it for each
    /// statement.
    static func prepare(
        _ script: [UInt8], from start: Int, _ lifetime: Lifetime = .brief,
        on core: ConnectionCore
    ) throws(LockstepError) -> (PreparedStatement?, Int) {
        guard script.last == 0, start < script.count else {
            throw LockstepError(.misuse, "a script must end with a zero byte")
        }
        var handle: OpaquePointer?
        core.authorizer.beginPreparing()
        let flags = lifetime == .cached ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let (code, end): (Int32, Int) = unsafe script.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return (SQLITE_OK, 0) }
            let text = unsafe (base + start).assumingMemoryBound(to: CChar.self)
            var tail: UnsafePointer<CChar>?
            let code = unsafe sqlite3_prepare_v3(
                core.database, text, Int32(clamping: script.count - start), flags, &handle, &tail)
            return unsafe (code, tail.map { unsafe start + ($0 - text) } ?? script.count - 1)
        }
        guard code == SQLITE_OK else {
            if core.authorizer.stopsForState {
                core.authorizer.stateRule = .kept
                core.stateBefore = try ConnectionState(of: core)
                return try prepare(script, from: start, lifetime, on: core)
            }
            if let denial = core.authorizer.lastDenial { throw denial }
            let excerpt = script[start..<min(script.count - 1, start + 2000)]
            throw unsafe ResultCode.error(
                code, on: core.database, sql: String(decoding: excerpt, as: UTF8.self), isRunning: false)
        }
        guard let handle = unsafe handle else {
            // SQLite takes the byte for the end, so the script would never advance.
            guard end > start || start == script.count - 1 else {
                throw LockstepError(
                    .misuse, "the SQL contains a zero byte",
                    hint: "check where the text comes from")
            }
            return (nil, end)
        }
        let prepared = unsafe PreparedStatement(owning: handle, on: core)
        if core.authorizer.sawDefinition,
            let denial = core.authorizer.definitionDenial(script.span.extracting(start..<end))
        {
            prepared.finalize()
            throw denial
        }
        return (prepared, end)
    }

    // MARK: Between runs

    /// Prepares for another run, perhaps by another user.
    func forget() {
        unsafe sqlite3_reset(handle)
        isBound.isSet = false
        guard parameterCount > 0 else { return }
        unsafe sqlite3_clear_bindings(handle)
        buffer?.clear()
    }

    /// Called before each run: the table can have other columns by then.
    func beginRun() {
        // When SQLite prepares the statement again during the run, the count starts from zero.
        core.authorizer.forgetTerms()
        if changesSchema { core.knowsSchema.isSet = false }
        expectOtherColumns()
        isNoted.isSet = false
        unsafe core.viewWrites.begin(handle)
        // The buffer holds values that were bound ahead; a caller that binds others binds all of them.
        if !isBound.isSet { buffer?.clear() }
    }

    // MARK: Inspecting

    /// The tables that the statement read and wrote when it was prepared.
    var use: TableUse { tables }

    var sql: String { unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? "" }

    /// Called once a run has begun, while an observer needs the tables that are used: SQLite has then prepared
    /// the statement again if the schema had changed.
    func noteTables() throws(LockstepError) {
        guard !isNoted.isSet else { return }
        isNoted.isSet = true
        let preparations = unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        if preparations != tablePreparations {
            // A trigger or view can have changed.
            if let fresh = try Self.prepare(Array(sql.utf8) + [0], from: 0, on: core).0 {
                tables = fresh.tables
            }
            tablePreparations = preparations
        }
        if core.usedTables != nil {
            let opened = try openedTables()
            core.usedTables?.formUnion(tables.read.union(opened))
        }
        core.tracker.note(written: tables.written, mayReplace: mayReplace || movesRows)
    }

    /// Records when the run begins, for a time limit.
    @inline(never)
    func startTimer() throws(LockstepError) { began = try core.timer?.begin(SQLTokens.redact(sql)) }

    /// Announces the run and its effects to the watch. The tables are read again if the schema has changed, as
    /// SQLite then prepares the statement again.
    func announce() throws(LockstepError) {
        if knownChanges != core.schemaChanges {
            if let fresh = try Self.prepare(Array(sql.utf8) + [0], from: 0, on: core).0 {
                tables = fresh.tables
            }
            knownChanges = core.schemaChanges
        }
        guard !tables.isIdle else { return }
        try core.watch?.willRun(sql, tables)
        guard tables.schema != nil else { return }
        core.schemaChanges += 1
        knownChanges += 1
    }

    /// Whether the statement changes a row's key, so that the row has a new identity.
    private var movesRows: Bool {
        tables.updated.contains { table, column in
            var isKey: Int32 = 0
            unsafe sqlite3_table_column_metadata(
                core.database, "main", table.spelling, column.spelling, nil, nil, nil, &isKey, nil)
            return isKey != 0 || column == "rowid"
        }
    }

    /// The tables whose b-trees or indexes the statement opens. The authorizer does not see columns that a join
    /// merges with USING, and these can be the table's only columns in the statement.
    private func openedTables() throws(LockstepError) -> Set<SQLName> {
        let mode = core.authorizer.mode
        core.authorizer.mode = .engine
        defer { core.authorizer.mode = mode }
        var roots: [Int64] = []
        let program = try Self.prepare("EXPLAIN " + sql, .brief, on: core)
        while unsafe sqlite3_step(program.handle) == SQLITE_ROW {
            let opcode = unsafe sqlite3_column_text(program.handle, 1).map {
                unsafe String(cString: $0)
            }
            // p2 is the root page, p3 the database: 0 is main.
            guard opcode == "OpenRead", unsafe sqlite3_column_int(program.handle, 4) == 0 else {
                continue
            }
            roots.append(unsafe sqlite3_column_int64(program.handle, 3))
        }
        guard !roots.isEmpty else { return [] }
        let list = roots.map(String.init).joined(separator: ", ")
        let schema = try Self.prepare(
            "SELECT tbl_name FROM main.sqlite_schema WHERE rootpage IN (\(list))", .brief, on: core)
        var names: Set<SQLName> = []
        while unsafe sqlite3_step(schema.handle) == SQLITE_ROW {
            if let name = unsafe sqlite3_column_text(schema.handle, 0) {
                names.insert(unsafe SQLName(String(cString: name)))
            }
        }
        return names
    }

    /// Whether the statement only reads tables.
    var readsTables: Bool {
        unsafe sqlite3_stmt_readonly(handle) != 0 && !tables.read.isEmpty && tables.written.isEmpty
    }

    /// Whether the statement can remove rows that it does not name: REPLACE removes conflicting rows.
    private(set) lazy var mayReplace = SQLTokens.mayReplace(sql)
}
