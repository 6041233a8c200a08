internal import CSQLCipher

/// The parameters of a statement's next run, lent out while values are bound to them.
@frozen
@safe
public struct Parameters: ~Copyable {
    @usableFromInline
    let statement: OpaquePointer
    // The statement that lends its parameters outlives the loan.
    private let lender: Unmanaged<StatementHandle>
    /// How many values were appended.
    @usableFromInline
    var count: Int32 = 0
    /// The first error, or SQLITE_OK.
    @usableFromInline
    var failure: Int32 = 0

    @usableFromInline
    init(_ lender: StatementHandle) {
        unsafe statement = unsafe lender.handle
        unsafe self.lender = Unmanaged.passUnretained(lender)
    }

    /// Binds `value` to the next parameter. The run throws any error.
    @inlinable
    public mutating func append<Element: Bindable>(_ value: borrowing Element) {
        count += 1
        let code = value.bind(to: self, at: count)
        if failure == 0 { failure = code }
    }

    /// Binds a row's value, perhaps of another connection, to the next parameter.
    mutating func append(_ column: Int32, of row: borrowing Row) {
        count += 1
        let code = unsafe sqlite3_bind_value(statement, count, row.value(column))
        if failure == 0 { failure = code }
    }

    /// A buffer for copies of bound values, so that SQLite does not allocate for each.
    var buffer: ParameterBuffer? { unsafe lender._withUnsafeGuaranteedRef { $0.buffer } }
}
