internal import CSQLCipher

/// A BLOB of zero bytes for a ``Blob`` to fill: it takes no memory.
public struct ZeroBytes: Bindable, Sendable, Hashable {
    /// The number of bytes.
    public var count: Int

    /// Creates a BLOB of `count` zero bytes.
    public init(_ count: Int) { self.count = count }

    /// Binds a BLOB of zeros.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_zeroblob64(
            parameters.statement, index, UInt64(clamping: count))
    }
}
