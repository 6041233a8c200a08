internal import CSQLCipher

/// A statement that SQLite has compiled, with what is known of it. One ``Statement`` at a time uses it.
@safe
@usableFromInline
final class PreparedStatement {
    @usableFromInline
    let handle: OpaquePointer
    let core: ConnectionCore
    let parameterCount: Int32
    /// SQLite asks for permission only when it prepares: what was prepared before a transaction must be
    /// kept from ending it when it runs.
    let controlsTransaction: Bool
    /// The tables that it read and wrote when it was prepared ``tablePreparations`` times.
    private var tables: TableUse
    private var tablePreparations: Int32 = 0
    /// How many changes of the schema had been seen when `tables` was true.
    private var knownChanges: Int
    private let isNoted = Flag()
    let buffer: ParameterBuffer?

    /// When the run began, where runs are limited in time.
    var began: ContinuousClock.Instant?

    /// Whether values wait to be run, so that a run need be given none.
    let isBound = Flag()
    private var isFinalized = false
    /// For decoders of its rows.
    private var ownReader: RowReader?
    private var layout: ColumnLayout?
    /// Whether the layout is known to be this run's.
    private let isLayoutCurrent = Flag()

    private init(owning handle: OpaquePointer, on core: ConnectionCore) {
        unsafe self.handle = unsafe handle
        self.core = core
        parameterCount = unsafe sqlite3_bind_parameter_count(handle)
        controlsTransaction = core.authorizer.sawTransactionControl
        tables = core.authorizer.tableUse
        knownChanges = core.schemaChanges
        buffer = parameterCount > 0 ? ParameterBuffer() : nil
    }

    deinit { finalize() }

    /// Ends the statement for good; it must not be used again.
    func finalize() {
        guard !isFinalized else { return }
        isFinalized = true
        ownReader?.giveBack()
        ownReader = nil
        unsafe sqlite3_finalize(handle)
    }

    // MARK: Preparing

    /// How long a statement will be kept.
    enum Lifetime {
        case brief, cached
    }

    /// Prepares the only statement of `sql`.
    /// - Throws: ``LockstepError/Code/misuse`` for SQL with no statement or several.
    static func prepare(
        _ sql: String, _ lifetime: Lifetime, on core: ConnectionCore
    ) throws(LockstepError) -> PreparedStatement {
        let script = Array(sql.utf8) + [0]
        let (prepared, end) = try prepare(script, from: 0, lifetime, on: core)
        guard let prepared else {
            throw LockstepError(.misuse, "there is no statement in: \(SQLTokens.redact(sql))")
        }
        guard end == script.count - 1 || SQLTokens.areBlank(Array(script[end..<(script.count - 1)]))
        else {
            throw LockstepError(
                .misuse, "several statements stand where one is due: \(SQLTokens.redact(sql))",
                hint: "run them one at a time")
        }
        return prepared
    }

    /// Prepares a statement of the engine's own that is kept for as long as the connection.
    static func engines(
        _ sql: String, on core: ConnectionCore
    ) throws(LockstepError) -> PreparedStatement {
        let mode = core.authorizer.mode
        core.authorizer.mode = .engine
        defer { core.authorizer.mode = mode }
        return try prepare(sql, .cached, on: core)
    }

    /// Prepares the statement that begins at `start` of a script; also gives where the next one may
    /// begin. Blank SQL has no statement. A zero byte ends the script, so that SQLite need not copy it
    /// for each statement.
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
            if let denial = core.authorizer.lastDenial { throw denial }
            let excerpt = script[start..<min(script.count - 1, start + 2000)]
            throw unsafe ResultCode.error(
                code, on: core.database, sql: String(decoding: excerpt, as: UTF8.self),
                isRunning: false)
        }
        guard let handle = unsafe handle else {
            // SQLite takes it for the end, and would for ever.
            guard end > start || start == script.count - 1 else {
                throw LockstepError(
                    .misuse, "a zero byte stands in the SQL",
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

    /// Makes ready for another run, perhaps by another user.
    func forget() {
        unsafe sqlite3_reset(handle)
        isBound.isSet = false
        guard parameterCount > 0 else { return }
        unsafe sqlite3_clear_bindings(handle)
        buffer?.clear()
    }

    /// Called before each run: the table may have other columns by then.
    func beginRun() {
        // What SQLite prepares again while the statement runs counts by itself.
        core.authorizer.forgetTerms()
        isLayoutCurrent.isSet = false
        isNoted.isSet = false
        // Values that were bound ahead lie in it; whoever binds others binds all of them.
        if !isBound.isSet { buffer?.clear() }
    }

    // MARK: Looking

    /// The tables that it read and wrote when it was prepared.
    var use: TableUse { tables }

    var sql: String { unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? "" }

    /// Called while somebody wants to know which tables are used, once a run has begun: by then SQLite has
    /// prepared the statement anew if the schema had changed.
    func noteTables() throws(LockstepError) {
        guard !isNoted.isSet else { return }
        isNoted.isSet = true
        let preparations = unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        if preparations != tablePreparations {
            // A trigger or view may be another than it was.
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

    /// Notes when the run begins, for a limit in time.
    @inline(never)
    func startTimer() throws(LockstepError) { began = try core.timer?.begin(SQLTokens.redact(sql)) }

    /// Tells who watches that it is about to run, and what it will do then: SQLite prepares it anew if the
    /// schema has changed.
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

    /// Whether it changes a row's key, and thus what it was known by.
    private var movesRows: Bool {
        tables.updated.contains { table, column in
            var isKey: Int32 = 0
            unsafe sqlite3_table_column_metadata(
                core.database, "main", table, column, nil, nil, nil, &isKey, nil)
            return isKey != 0 || column.asciiLowercased == "rowid"
        }
    }

    /// The tables whose b-trees or indexes it opens. The authorizer is not told of columns that a join
    /// merges with USING, and perhaps of no other column of the table.
    private func openedTables() throws(LockstepError) -> Set<String> {
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
        var names: Set<String> = []
        while unsafe sqlite3_step(schema.handle) == SQLITE_ROW {
            if let name = unsafe sqlite3_column_text(schema.handle, 0) {
                names.insert(unsafe String(cString: name).asciiLowercased)
            }
        }
        return names
    }

    /// Whether it does nothing but read tables.
    var readsTables: Bool {
        unsafe sqlite3_stmt_readonly(handle) != 0 && !tables.read.isEmpty && tables.written.isEmpty
    }

    /// Whether it may remove rows that it does not name: REPLACE does, when they are in its way.
    private(set) lazy var mayReplace = {
        let bytes = Array(sql.utf8)
        return SQLTokens(bytes, from: 0).contains {
            $0.kind == .word
                && String(decoding: bytes[$0.range], as: UTF8.self).asciiLowercased == "replace"
        }
    }()

    var reader: RowReader {
        if let ownReader { return ownReader }
        let reader = RowReader.take()
        ownReader = reader
        return reader
    }

    /// The names of the columns, looked up once for each time that SQLite has prepared the statement.
    var columns: ColumnLayout {
        if isLayoutCurrent.isSet, let layout { return layout }
        let preparations = unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        isLayoutCurrent.isSet = true
        if let layout, layout.preparations == preparations { return layout }
        let names = unsafe (0..<sqlite3_column_count(handle)).map { column in
            unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
        }
        let fresh = ColumnLayout(names, preparations: preparations)
        layout = fresh
        return fresh
    }
}

/// Which columns a statement yields.
final class ColumnLayout {
    let names: [String]
    /// How often SQLite had prepared the statement anew when this was true.
    let preparations: Int32
    private let ordinals: [String: Int32]
    /// Whether no two columns have one name.
    var isUnambiguous: Bool { ordinals.count == names.count }

    init(_ names: [String], preparations: Int32) {
        self.names = names
        self.preparations = preparations
        // Of columns with one name the first counts.
        ordinals = Dictionary(
            names.enumerated().map { ($1, Int32(clamping: $0)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The ordinal of the column with this name, which is compared as it was written.
    func ordinal(of name: String) -> Int32? { ordinals[name] }
}
