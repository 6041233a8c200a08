/// The parameters of a statement's next run, lent out while values are bound to them.
@frozen
@safe
public struct Parameters: ~Copyable {
    @usableFromInline
    let statement: OpaquePointer
    // The statement that lends its parameters outlives the loan.
    private let prepared: Unmanaged<PreparedStatement>
    /// How many values were appended.
    @usableFromInline
    var count: Int32 = 0
    /// The first error, or SQLITE_OK.
    @usableFromInline
    var failure: Int32 = 0

    @usableFromInline
    init(_ prepared: PreparedStatement) {
        unsafe statement = unsafe prepared.handle
        unsafe self.prepared = Unmanaged.passUnretained(prepared)
    }

    /// Binds `value` to the next parameter. The run throws any error.
    @inlinable
    public mutating func append<Element: Bindable>(_ value: borrowing Element) {
        count += 1
        let code = value.bind(to: self, at: count)
        if failure == 0 { failure = code }
    }

    /// A buffer for copies of bound values, so that SQLite does not allocate for each.
    var buffer: ParameterBuffer? { unsafe prepared._withUnsafeGuaranteedRef { $0.buffer } }
}
