/// A value of any of SQLite's five storage classes, for types that are not known in advance. Two texts are equal if
/// their bytes are, as for SQLite; see ``ExactText``.
public enum Value: Sendable {
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

extension Value: Hashable {
    /// Whether both have one storage class and are equal, texts by their bytes.
    public static func == (one: Value, other: Value) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.integer(let one), .integer(let other)): one == other
        case (.real(let one), .real(let other)): one == other
        case (.text(let one), .text(let other)): one.hasSameBytes(as: other)
        case (.blob(let one), .blob(let other)): one == other
        default: false
        }
    }

    /// Hashes the storage class and the value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let number): hasher.combine(number)
        case .real(let number): hasher.combine(number)
        case .text(let text): ExactText(text).hash(into: &hasher)
        case .blob(let bytes): hasher.combine(bytes)
        }
    }
}
