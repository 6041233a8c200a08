internal import CSQLCipher

/// A prepared statement: one piece of SQL, compiled once and run any number of times.
///
/// It belongs to the thread that uses its connection. Leaving its scope returns it to the connection's
/// statement cache, or finalizes it.
@safe
public struct Statement: ~Copyable {
    @usableFromInline
    let prepared: PreparedStatement
    /// The cache's key for the statement; nil if the statement is not cached.
    private let cacheKey: StatementKey?
    /// Values interpolated into the SQL.
    private let arguments: SQL.Arguments

    init(_ prepared: PreparedStatement, _ arguments: SQL.Arguments = .none, cacheKey: StatementKey? = nil) {
        self.prepared = prepared
        self.arguments = arguments
        self.cacheKey = cacheKey
    }

    deinit { prepared.core.statements.putBack(prepared, as: cacheKey) }

    // MARK: Binding

    /// Binds all parameters, in their order, for the next run, which is then called without values.
    /// - Throws: ``LockstepError/Code/bindMismatch`` if the number of values differs from the number of
    ///   parameters.
    @inlinable
    public func bind<each Parameter: Bindable>(
        _ values: repeat each Parameter
    ) throws(LockstepError) {
        try bindForRun(repeat each values)
        keepBound()
    }

    /// Binds the values of a run, if there are any.
    @inlinable
    func bindForRun<each Parameter: Bindable>(
        _ values: repeat each Parameter
    ) throws(LockstepError) {
        try begin()
        var parameters = Parameters(prepared)
        // Not a loop over the values: it would copy each.
        repeat parameters.append(each values)
        try finishBinding(parameters.count, parameters.failure)
    }

    @usableFromInline
    func keepBound() { prepared.isBound.isSet = true }

    /// Binds values whose number is known only at run time, for the next run.
    /// - Throws: The errors of ``bind(_:)``.
    public func bind(values: [Value]) throws(LockstepError) {
        try begin()
        try finishBinding(Int32(clamping: values.count), bindAll(values))
        prepared.isBound.isSet = true
    }

    // exact: names that the program gives
    /// Binds parameters by name for the next run; each name with or without its `:`, `@` or `$`.
    /// - Throws: ``LockstepError/Code/bindMismatch`` if a parameter has no name or no value, or if a name
    ///   matches no parameter.
    public func bind(named values: [String: any Bindable & Sendable]) throws(LockstepError) {
        try begin()
        prepared.isBound.isSet = false
        try bindNamed(values)
        prepared.isBound.isSet = true
    }

    /// Binds the first values of a row, perhaps of another connection, for the next run.
    func bind(copying row: borrowing Row, _ count: Int) throws(LockstepError) {
        try begin()
        var parameters = Parameters(prepared)
        for column in 0..<Int32(clamping: count) { parameters.append(column, of: row) }
        try finishBinding(parameters.count, parameters.failure)
        keepBound()
    }

    private func bindAll(_ values: [some Bindable]) -> Int32 {
        var parameters = Parameters(prepared)
        for value in values { parameters.append(value) }
        return parameters.failure
    }

    // exact: names that the program gives
    private func bindNamed(_ values: [String: any Bindable & Sendable]) throws(LockstepError) {
        // Swift's dictionary takes canonically equivalent names for one.
        let values = Dictionary(
            uniqueKeysWithValues: values.map { (ExactText($0.key), $0.value) })
        var used: Set<ExactText> = []
        for index in 0..<prepared.parameterCount {
            let name = unsafe sqlite3_bind_parameter_name(prepared.handle, index + 1)
            guard let name = unsafe name.map({ unsafe String(cString: $0) }) else {
                throw mismatch("parameter \(index + 1) has no name")
            }
            // `:`, `@` or `$`, which a mark can follow.
            let bare = ExactText(String(name.unicodeScalars.dropFirst()))
            guard let value = values[ExactText(name)] ?? values[bare] else {
                throw mismatch("there is no value for the parameter \(name)")
            }
            used.formUnion([ExactText(name), bare])
            let code = value.bind(to: Parameters(prepared), at: index + 1)
            guard code == SQLITE_OK else { throw error(code) }
        }
        if let stranger = values.keys.sorted().first(where: { !used.contains($0) }) {
            throw mismatch("there is no parameter \(stranger)")
        }
    }

    /// Binds the values interpolated into the SQL, if there are any and no others are passed.
    @usableFromInline
    func finishBinding(_ given: Int32, _ failure: Int32) throws(LockstepError) {
        if given == 0, prepared.isBound.isSet { return }
        prepared.isBound.isSet = false
        switch arguments {
        case .none: break
        case _ where given > 0:
            throw LockstepError(
                .misuse, "values are given twice, in the SQL and after it: \(redactedSQL)",
                hint: "interpolate all of them, or none")
        case .positional(let values):
            var parameters = Parameters(prepared)
            for value in values { parameters.append(value) }
            return try check(parameters.count, parameters.failure)
        case .named(let values): return try bindNamed(values)
        }
        try check(given, failure)
    }

    private func check(_ given: Int32, _ failure: Int32) throws(LockstepError) {
        guard given == prepared.parameterCount else {
            throw mismatch(
                "\(counted(Int(given), "value")) for " + "\(counted(Int(prepared.parameterCount), "parameter"))")
        }
        guard failure == SQLITE_OK else { throw error(failure) }
    }

    private func mismatch(_ what: String) -> LockstepError {
        LockstepError(.bindMismatch, "\(what) in: \(redactedSQL)")
    }

    // MARK: Running

    /// Moves to the next row. False if there is none; the statement is then ready to run again.
    @usableFromInline
    func step() throws(LockstepError) -> Bool {
        let code = prepared.core.isTimed ? timedStep() : unsafe sqlite3_step(prepared.handle)
        if prepared.core.isWatched { try prepared.noteTables() }
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            let error = error(code)
            unsafe sqlite3_reset(prepared.handle)
            prepared.core.viewWrites.forget()
            // VACUUM attaches its own database, so it is refused only when it runs.
            if error.code == .denied, let denial = prepared.core.authorizer.lastDenial {
                throw denial
            }
            throw error
        }
        unsafe sqlite3_reset(prepared.handle)
        prepared.core.viewWrites.report()
        return false
    }

    /// A function in Swift can run other statements during the step, each with its own time limit.
    private func timedStep() -> Int32 {
        let timer = prepared.core.timer
        let outer = timer?.enter(prepared.began)
        defer { timer?.leave(outer) }
        return unsafe sqlite3_step(prepared.handle)
    }

    /// Ends the run, whatever its result, and returns SQLite's result code. An INSERT … RETURNING outside a
    /// transaction commits only here, and that can fail.
    @usableFromInline
    func end() -> Int32 {
        let code = unsafe sqlite3_reset(prepared.handle)
        if code == SQLITE_OK {
            prepared.core.viewWrites.report()
        } else {
            prepared.core.viewWrites.forget()
        }
        return code
    }

    /// Runs the statement to its end and ignores any rows it returns.
    /// - Throws: ``LockstepError/Code/bindMismatch`` for another number of values than of parameters;
    ///   ``LockstepError/Code/misuse`` while the statement's own rows are being read, outside the closure that the
    ///   connection was lent to, and after an error has ended the closure's transaction;
    ///   ``LockstepError/Code/interrupted``, ``LockstepError/Code/limitExceeded``; the error that a function written in
    ///   Swift throws; SQLite's errors, such as ``LockstepError/Code/constraint``, ``LockstepError/Code/busy`` and
    ///   ``LockstepError/Code/full``.
    @inlinable
    public func run<each Parameter: Bindable>(
        _ values: repeat each Parameter
    ) throws(LockstepError) {
        try bindForRun(repeat each values)
        while try step() {}
    }

    /// Runs the statement to its end with the values of `row`, and ignores any rows it returns.
    /// - Throws: The errors of ``run(_:)``.
    @inlinable
    public func run<Element: RowEncodable>(row: borrowing Element) throws(LockstepError) {
        try begin()
        var parameters = Parameters(prepared)
        row.encode(to: &parameters)
        try finishBinding(parameters.count, parameters.failure)
        while try step() {}
    }

    /// Runs the statement once for each of `rows`.
    /// - Throws: The errors of ``run(_:)``; the rows after the one that fails are not run.
    @inlinable
    public func run<Element: RowEncodable>(rows: [Element]) throws(LockstepError) {
        try unsafe rows.withUnsafeBufferPointer { rows throws(LockstepError) in
            let rows = unsafe UnsafeMutableBufferPointer(mutating: rows)
            for index in rows.indices { unsafe try run(inPlace: &rows[index]) }
        }
    }

    /// Binds what `fill` appends. Unless that is complete, the statement must not run.
    func bind(
        filling fill: (inout Parameters) throws -> RowSink.Outcome
    ) throws -> RowSink.Outcome {
        try begin()
        var parameters = Parameters(prepared)
        let outcome = try fill(&parameters)
        guard outcome == .complete else { return outcome }
        try finishBinding(parameters.count, parameters.failure)
        return .complete
    }

    /// Runs the statement with the values that are bound.
    func runBound() throws(LockstepError) { while try step() {} }

    /// Nothing changes the row, but only an `inout` argument is never copied: a copy takes six atomic counts
    /// for a row with two strings and a blob, 8 % of an insert.
    @inlinable
    func run<Element: RowEncodable>(inPlace row: inout Element) throws(LockstepError) {
        try run(row: row)
    }

    /// Passes each row to `body`.
    /// - Throws: The errors of ``run(_:)`` and of `body`; ``LockstepError/Code/damaged`` if a page that was read does
    ///   not verify.
    @inlinable
    public func forEach<each Parameter: Bindable>(
        _ values: repeat each Parameter, row body: (borrowing Row) throws -> Void
    ) throws {
        try bindForRun(repeat each values)
        let isHolding = try beginReading()
        do {
            while try step() { try body(Row(prepared)) }
            try endReading(isHolding)
        } catch {
            // An open statement would hold a snapshot.
            _ = end()
            dropReading(isHolding)
            throw error
        }
    }

    /// Returns the result of `body` for each row.
    /// - Throws: The errors of ``forEach(_:row:)``.
    @inlinable
    public func map<each Parameter: Bindable, Element>(
        _ values: repeat each Parameter, row body: (borrowing Row) throws -> Element
    ) throws -> [Element] {
        var elements: [Element] = []
        try forEach(repeat each values) { row in elements.append(try body(row)) }
        return elements
    }

    /// Returns the result of `body` for the first row, or nil if there is none.
    /// - Throws: The errors of ``forEach(_:row:)``.
    @inlinable
    public func first<each Parameter: Bindable, Element>(
        _ values: repeat each Parameter, row body: (borrowing Row) throws -> Element
    ) throws -> Element? {
        try bindForRun(repeat each values)
        return try firstOfRun(body)
    }

    /// Runs the statement with the values of `row`, and returns the result of `body` for the first row that it returns,
    /// or nil if there is none: for `INSERT … RETURNING`.
    /// - Throws: The errors of ``forEach(_:row:)``.
    @inlinable
    public func first<Input: RowEncodable, Element>(
        row input: borrowing Input, _ body: (borrowing Row) throws -> Element
    ) throws -> Element? {
        try begin()
        var parameters = Parameters(prepared)
        input.encode(to: &parameters)
        try finishBinding(parameters.count, parameters.failure)
        return try firstOfRun(body)
    }

    /// The result of `body` for the first row of a run whose values are bound.
    @inlinable
    func firstOfRun<Element>(_ body: (borrowing Row) throws -> Element) throws -> Element? {
        var element: Element?
        let isHolding = try beginReading()
        do {
            if try step() { element = try body(Row(prepared)) }
            try requireEnded(end())
            try endReading(isHolding)
        } catch {
            _ = end()
            dropReading(isHolding)
            throw error
        }
        return element
    }

    /// Outside a transaction, makes sure that the rows can be checked when they end.
    @usableFromInline
    func beginReading() throws(LockstepError) -> Bool {
        guard prepared.readsTables else { return false }
        return try prepared.core.readCheck.keepSnapshot(prepared.core)
    }

    @usableFromInline
    func endReading(_ isHolding: Bool) throws(LockstepError) {
        guard isHolding else { return }
        try prepared.core.readCheck.requireSound(prepared.core)
        prepared.core.readCheck.release(prepared.core)
    }

    @usableFromInline
    func dropReading(_ isHolding: Bool) {
        if isHolding { prepared.core.readCheck.release(prepared.core) }
    }

    @usableFromInline
    func requireEnded(_ code: Int32) throws(LockstepError) {
        guard code == SQLITE_OK else { throw error(code) }
    }

    // MARK: Inspecting

    /// Whether the statement cannot change the database.
    public var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(prepared.handle) != 0 }

    /// The names of the columns that the statement returns.
    public var columnNames: [String] { prepared.columns.names }

    private var redactedSQL: String { SQLTokens.redact(prepared.sql) }

    private func error(_ code: Int32) -> LockstepError {
        prepared.core.error(code, sql: prepared.sql)
    }

    /// Prepares for a run. A statement whose rows are being read cannot restart from within; and if an error
    /// has ended a transaction before its closure, the closure's next statement would run outside it.
    @usableFromInline
    func begin() throws(LockstepError) {
        let core = prepared.core
        guard core.owner.isHere else {
            throw LockstepError(
                .misuse, "the statement is used outside the closure that its connection was lent to",
                hint: "prepare and run statements inside the closure")
        }
        guard !core.owner.isCancelled else {
            throw LockstepError(.interrupted, "the statement was cancelled before it ran: \(redactedSQL)")
        }
        if prepared.controlsTransaction, let denial = core.authorizer.transactionDenial("the statement") {
            throw denial
        }
        try core.requireTransactionGoesOn(redactedSQL)
        guard unsafe sqlite3_stmt_busy(prepared.handle) == 0 else {
            throw LockstepError(
                .misuse, "the statement is still reading: \(redactedSQL)",
                hint: "prepare it a second time to run it while reading its own rows")
        }
        if core.isTimed { try prepared.startTimer() }
        if core.isGuarded { try prepared.announce() }
        prepared.beginRun()
    }
}
