internal import CSQLCipher

/// That many zero bytes, as a BLOB to be filled in by a ``Blob``: no memory is needed for them.
public struct ZeroBytes: Bindable, Sendable, Hashable {
    /// How many.
    public var count: Int

    /// That many.
    public init(_ count: Int) { self.count = count }

    /// Binds a BLOB of zeros.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_zeroblob64(
            parameters.statement, index, UInt64(clamping: count))
    }
}
