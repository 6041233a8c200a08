internal import CSQLCipher
internal import Synchronization

/// A prepared statement: one piece of SQL, compiled once and run any number of times.
///
/// It belongs to the thread that uses its connection. Leaving its scope finalizes it.
@safe
public struct Statement: ~Copyable {
    let handle: OpaquePointer
    private let database: OpaquePointer
    private let authorizer: Authorizer
    /// SQLite asks for permission only when it prepares: what was prepared before a transaction must be
    /// kept from ending it when it runs.
    private let controlsTransaction: Bool

    /// Prepares the only statement of `sql`.
    init(_ sql: String, on database: OpaquePointer, _ authorizer: Authorizer) throws(LockstepError)
    {
        let (handle, rest) = unsafe try Self.prepare(sql, on: database, authorizer)
        guard let handle = unsafe handle else {
            throw LockstepError(.misuse, "there is no statement in: \(SQLTokens.redact(sql))")
        }
        guard rest.isEmpty || Self.isBlank(rest) else {
            unsafe sqlite3_finalize(handle)
            throw LockstepError(
                .misuse, "several statements stand where one is due: \(SQLTokens.redact(sql))",
                hint: "run them one at a time")
        }
        unsafe self.handle = unsafe handle
        unsafe self.database = unsafe database
        self.authorizer = authorizer
        controlsTransaction = authorizer.sawTransactionControl
    }

    /// Takes over a handle that was prepared elsewhere.
    init(
        owning handle: OpaquePointer, on database: OpaquePointer, _ authorizer: Authorizer
    ) {
        unsafe self.handle = unsafe handle
        unsafe self.database = unsafe database
        self.authorizer = authorizer
        controlsTransaction = authorizer.sawTransactionControl
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Prepares the first statement of `sql`; also gives what follows it. Blank SQL has no statement.
    static func prepare(
        _ sql: String, on database: OpaquePointer, _ authorizer: Authorizer
    ) throws(LockstepError) -> (OpaquePointer?, Substring) {
        let bytes = Array(sql.utf8) + [0]
        let (handle, end) = unsafe try prepare(bytes, from: 0, on: database, authorizer)
        return unsafe (handle, sql[sql.utf8.index(sql.startIndex, offsetBy: end)...])
    }

    /// Prepares the statement that begins at `start` of a script; also gives where the next one may
    /// begin. A zero byte ends the script, so that SQLite need not copy it for each statement.
    static func prepare(
        _ script: [UInt8], from start: Int, on database: OpaquePointer, _ authorizer: Authorizer
    ) throws(LockstepError) -> (OpaquePointer?, Int) {
        guard script.last == 0, start < script.count else {
            throw LockstepError(.misuse, "a script must end with a zero byte")
        }
        var handle: OpaquePointer?
        authorizer.lastDenial = nil
        authorizer.sawTransactionControl = false
        let (code, end): (Int32, Int) = unsafe script.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return (SQLITE_OK, 0) }
            let text = unsafe (base + start).assumingMemoryBound(to: CChar.self)
            var tail: UnsafePointer<CChar>?
            let code = unsafe sqlite3_prepare_v3(
                database, text, Int32(clamping: script.count - start), 0, &handle, &tail)
            return unsafe (code, tail.map { unsafe start + ($0 - text) } ?? script.count - 1)
        }
        guard code == SQLITE_OK else {
            if let denial = authorizer.lastDenial { throw denial }
            let excerpt = script[start..<min(script.count - 1, start + 2000)]
            throw unsafe ResultCode.error(
                code, on: database, sql: String(decoding: excerpt, as: UTF8.self),
                isRunning: false)
        }
        return unsafe (handle, end)
    }

    // MARK: Running

    /// Binds all parameters, in their order. What was bound before is replaced.
    /// - Throws: ``LockstepError/Code/bindMismatch`` unless there are as many values as parameters.
    public func bind<each Parameter: Bindable>(
        _ values: repeat each Parameter
    ) throws(LockstepError) {
        try requireIdle()
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            guard index <= parameterCount else { continue }
            let code = value.bind(to: self, at: index)
            guard code == SQLITE_OK else {
                throw unsafe ResultCode.error(code, on: database, sql: sql)
            }
        }
        try requireCount(index)
    }

    /// Binds values whose number is known only at run time.
    public func bind(values: [Value]) throws(LockstepError) {
        try requireIdle()
        try requireCount(Int32(clamping: values.count))
        for (index, value) in values.enumerated() {
            let code = value.bind(to: self, at: Int32(clamping: index + 1))
            guard code == SQLITE_OK else {
                throw unsafe ResultCode.error(code, on: database, sql: sql)
            }
        }
    }

    /// Goes on to the next row. False: there is none, and the statement is ready to run again.
    func step() throws(LockstepError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            let error = unsafe ResultCode.error(code, on: database, sql: sql)
            unsafe sqlite3_reset(handle)
            // VACUUM attaches a database of its own, and is refused only when it runs.
            if error.code == .denied, let denial = authorizer.lastDenial { throw denial }
            throw error
        }
        unsafe sqlite3_reset(handle)
        return false
    }

    /// Runs the statement to its end and ignores the rows it may yield.
    public func run<each Parameter: Bindable>(
        _ values: repeat each Parameter
    ) throws(LockstepError) {
        try bind(repeat each values)
        while try step() {}
    }

    /// Lends each row to `body`.
    public func forEach<each Parameter: Bindable>(
        _ values: repeat each Parameter, row body: (borrowing Row) throws -> Void
    ) throws {
        try bind(repeat each values)
        try resetting { while try step() { try body(unsafe Row(handle)) } }
    }

    /// What `body` makes of each row.
    public func map<each Parameter: Bindable, Element>(
        _ values: repeat each Parameter, row body: (borrowing Row) throws -> Element
    ) throws -> [Element] {
        var elements: [Element] = []
        try forEach(repeat each values) { row in elements.append(try body(row)) }
        return elements
    }

    /// What `body` makes of the first row, or nil if there is none.
    public func first<each Parameter: Bindable, Element>(
        _ values: repeat each Parameter, row body: (borrowing Row) throws -> Element
    ) throws -> Element? {
        try bind(repeat each values)
        return try resetting { try step() ? try body(unsafe Row(handle)) : nil }
    }

    /// Ends the statement after `body`, which must not leave it, and with it a snapshot, open. An INSERT
    /// … RETURNING outside a transaction commits only here, and that can fail.
    private func resetting<Result>(_ body: () throws -> Result) throws -> Result {
        let result: Result
        do {
            result = try body()
        } catch {
            unsafe sqlite3_reset(handle)
            throw error
        }
        let code = unsafe sqlite3_reset(handle)
        guard code == SQLITE_OK else { throw unsafe ResultCode.error(code, on: database, sql: sql) }
        return result
    }

    // MARK: Looking

    /// Whether the statement cannot change the database.
    public var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }

    /// The names of the columns that the statement yields.
    public var columnNames: [String] {
        unsafe (0..<sqlite3_column_count(handle)).map { column in
            unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
        }
    }

    private var parameterCount: Int32 { unsafe sqlite3_bind_parameter_count(handle) }

    private var sql: String {
        unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? ""
    }

    /// A statement that lends a row cannot begin anew from within; and where an error has ended a
    /// transaction before its closure, what the closure does next would stand alone.
    private func requireIdle() throws(LockstepError) {
        let borrower = authorizer.borrower.load(ordering: .acquiring)
        guard borrower == 0 || borrower == ThreadIdentity.current else {
            throw LockstepError(
                .misuse, "the statement has left the closure that its connection was lent to",
                hint: "prepare and run statements inside the closure")
        }
        if controlsTransaction, let denial = authorizer.transactionDenial("the statement") {
            throw denial
        }
        let isInTransaction = unsafe sqlite3_get_autocommit(database) == 0
        guard authorizer.openTransactions == 0 || isInTransaction else {
            throw LockstepError(
                .misuse, "the transaction has ended, so this is not run: \(SQLTokens.redact(sql))",
                hint: "pass on the error that ended it instead of catching it")
        }
        guard unsafe sqlite3_stmt_busy(handle) == 0 else {
            throw LockstepError(
                .misuse, "the statement is still reading: \(SQLTokens.redact(sql))",
                hint: "prepare it a second time to run it inside its own rows")
        }
    }

    private func requireCount(_ given: Int32) throws(LockstepError) {
        guard given == parameterCount else {
            throw LockstepError(
                .bindMismatch,
                "\(given) values were given for \(parameterCount) parameters in: "
                    + SQLTokens.redact(sql))
        }
    }

    /// Whether SQL holds nothing but space, comments and semicolons.
    static func isBlank(_ sql: Substring) -> Bool {
        let bytes = Array(sql.utf8)
        return SQLTokens(String(sql)).allSatisfy {
            $0.kind == .space || $0.kind == .comment
                || (bytes[$0.range].elementsEqual([UInt8(ascii: ";")]))
        }
    }
}
