/// A value of any of SQLite's five storage classes, for types that are not known in advance.
public enum Value: Sendable, Hashable {
    /// No value.
    case null
    /// A signed 64-bit integer.
    case integer(Int64)
    /// A double-precision number.
    case real(Double)
    /// UTF-8 text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}
