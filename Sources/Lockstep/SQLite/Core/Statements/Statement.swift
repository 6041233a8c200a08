internal import CSQLCipher

/// A prepared statement: one piece of SQL, compiled once and run any number of times.
///
/// It belongs to the thread that uses its connection. Leaving its scope gives it back to the connection's
/// statement cache, or finalizes it.
@safe
public struct Statement: ~Copyable {
    @usableFromInline
    let prepared: PreparedStatement
    /// The SQL by which the cache knows it; nil for one that is not to be kept.
    private let cacheKey: String?
    /// Values that came with the SQL.
    private let arguments: SQL.Arguments

    init(
        _ prepared: PreparedStatement, _ arguments: SQL.Arguments = .none, cacheKey: String? = nil
    ) {
        self.prepared = prepared
        self.arguments = arguments
        self.cacheKey = cacheKey
    }

    deinit { prepared.core.statements.putBack(prepared, as: cacheKey) }

    // MARK: Binding

    /// Binds all parameters, in their order, for the next run, which then is given no values.
    /// - Throws: ``LockstepError/Code/bindMismatch`` unless there are as many values as parameters.
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
    public func bind(values: [Value]) throws(LockstepError) {
        try begin()
        try finishBinding(Int32(clamping: values.count), bindAll(values))
        prepared.isBound.isSet = true
    }

    /// Binds parameters by their names, each with or without its `:`, `@` or `$`, for the next run.
    /// - Throws: ``LockstepError/Code/bindMismatch`` unless every parameter has a name that is given, and
    ///   every given name is a parameter's.
    public func bind(named values: [String: any Bindable & Sendable]) throws(LockstepError) {
        try begin()
        prepared.isBound.isSet = false
        try bindNamed(values)
        prepared.isBound.isSet = true
    }

    private func bindAll(_ values: [some Bindable]) -> Int32 {
        var parameters = Parameters(prepared)
        for value in values { parameters.append(value) }
        return parameters.failure
    }

    private func bindNamed(_ values: [String: any Bindable & Sendable]) throws(LockstepError) {
        var used: Set<String> = []
        for index in 0..<prepared.parameterCount {
            let name = unsafe sqlite3_bind_parameter_name(prepared.handle, index + 1)
            guard let name = unsafe name.map({ unsafe String(cString: $0) }) else {
                throw mismatch("parameter \(index + 1) has no name")
            }
            let bare = String(name.dropFirst())
            guard let value = values[name] ?? values[bare] else {
                throw mismatch("there is no value for the parameter \(name)")
            }
            used.formUnion([name, bare])
            let code = value.bind(to: Parameters(prepared), at: index + 1)
            guard code == SQLITE_OK else { throw error(code) }
        }
        if let stranger = values.keys.sorted().first(where: { !used.contains($0) }) {
            throw mismatch("there is no parameter \(stranger)")
        }
    }

    /// Binds what came with the SQL, if anything did and nothing else is given.
    @usableFromInline
    func finishBinding(_ given: Int32, _ failure: Int32) throws(LockstepError) {
        if given == 0, prepared.isBound.isSet { return }
        prepared.isBound.isSet = false
        switch arguments {
        case .none: break
        case _ where given > 0:
            throw LockstepError(
                .misuse, "values are given twice, in the SQL and behind it: \(redactedSQL)",
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
            throw mismatch("\(given) values were given for \(prepared.parameterCount) parameters")
        }
        guard failure == SQLITE_OK else { throw error(failure) }
    }

    private func mismatch(_ what: String) -> LockstepError {
        LockstepError(.bindMismatch, "\(what) in: \(redactedSQL)")
    }

    // MARK: Running

    /// Goes on to the next row. False: there is none, and the statement is ready to run again.
    @usableFromInline
    func step() throws(LockstepError) -> Bool {
        let code = prepared.core.isTimed ? timedStep() : unsafe sqlite3_step(prepared.handle)
        if prepared.core.isWatched { try prepared.noteTables() }
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            let error = error(code)
            unsafe sqlite3_reset(prepared.handle)
            prepared.core.forgetInsertedRow()
            // VACUUM attaches a database of its own, and is refused only when it runs.
            if error.code == .denied, let denial = prepared.core.authorizer.lastDenial {
                throw denial
            }
            throw error
        }
        unsafe sqlite3_reset(prepared.handle)
        prepared.core.tellInsertedRow()
        return false
    }

    /// A function in Swift may run other statements meanwhile, each in its own time.
    private func timedStep() -> Int32 {
        let timer = prepared.core.timer
        let outer = timer?.enter(prepared.began)
        defer { timer?.leave(outer) }
        return unsafe sqlite3_step(prepared.handle)
    }

    /// Ends the run, whatever it has come to, and gives SQLite's result code. An INSERT … RETURNING
    /// outside a transaction commits only here, and that can fail.
    @usableFromInline
    func end() -> Int32 { unsafe sqlite3_reset(prepared.handle) }

    /// Runs the statement to its end and ignores the rows it may yield.
    @inlinable
    public func run<each Parameter: Bindable>(
        _ values: repeat each Parameter
    ) throws(LockstepError) {
        try bindForRun(repeat each values)
        while try step() {}
    }

    /// Runs the statement to its end with the values of `row`, and ignores the rows it may yield.
    @inlinable
    public func run<Element: RowEncodable>(row: borrowing Element) throws(LockstepError) {
        try begin()
        var parameters = Parameters(prepared)
        row.encode(to: &parameters)
        try finishBinding(parameters.count, parameters.failure)
        while try step() {}
    }

    /// Runs the statement once with each of `rows`.
    @inlinable
    public func run<Element: RowEncodable>(rows: [Element]) throws(LockstepError) {
        try unsafe rows.withUnsafeBufferPointer { rows throws(LockstepError) in
            let rows = unsafe UnsafeMutableBufferPointer(mutating: rows)
            for index in rows.indices { unsafe try run(inPlace: &rows[index]) }
        }
    }

    /// Nothing changes the row, but only what is lent for changing is never copied: six atomic counts a row
    /// with two texts and a blob, 8 % of an insert.
    @inlinable
    func run<Element: RowEncodable>(inPlace row: inout Element) throws(LockstepError) {
        try run(row: row)
    }

    /// Lends each row to `body`.
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
            // A statement that stands open would keep a snapshot.
            _ = end()
            dropReading(isHolding)
            throw error
        }
    }

    /// What `body` makes of each row.
    @inlinable
    public func map<each Parameter: Bindable, Element>(
        _ values: repeat each Parameter, row body: (borrowing Row) throws -> Element
    ) throws -> [Element] {
        var elements: [Element] = []
        try forEach(repeat each values) { row in elements.append(try body(row)) }
        return elements
    }

    /// What `body` makes of the first row, or nil if there is none.
    @inlinable
    public func first<each Parameter: Bindable, Element>(
        _ values: repeat each Parameter, row body: (borrowing Row) throws -> Element
    ) throws -> Element? {
        try bindForRun(repeat each values)
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

    /// Outside a transaction, makes sure that what the rows say can be checked at their end.
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

    // MARK: Looking

    /// Whether the statement cannot change the database.
    public var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(prepared.handle) != 0 }

    /// The names of the columns that the statement yields.
    public var columnNames: [String] { prepared.columns.names }

    private var redactedSQL: String { SQLTokens.redact(prepared.sql) }

    private func error(_ code: Int32) -> LockstepError {
        prepared.core.error(code, sql: prepared.sql)
    }

    /// Makes ready for a run. A statement that lends a row cannot begin anew from within; and where an
    /// error has ended a transaction before its closure, what the closure does next would stand alone.
    @usableFromInline
    func begin() throws(LockstepError) {
        let core = prepared.core
        guard core.borrower.isHere else {
            throw LockstepError(
                .misuse, "the statement has left the closure that its connection was lent to",
                hint: "prepare and run statements inside the closure")
        }
        guard !core.borrower.isCancelled else {
            throw LockstepError(.interrupted, "this was cancelled before it ran: \(redactedSQL)")
        }
        if prepared.controlsTransaction,
            let denial = core.authorizer.transactionDenial("the statement")
        {
            throw denial
        }
        try core.requireTransactionGoesOn(redactedSQL)
        guard unsafe sqlite3_stmt_busy(prepared.handle) == 0 else {
            throw LockstepError(
                .misuse, "the statement is still reading: \(redactedSQL)",
                hint: "prepare it a second time to run it inside its own rows")
        }
        if core.isTimed { try prepared.startTimer() }
        if core.isGuarded { try prepared.announce() }
        prepared.beginRun()
    }
}
