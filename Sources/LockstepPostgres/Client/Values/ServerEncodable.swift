public import Lockstep

/// A type whose values statements can have as parameters.
public protocol ServerEncodable: Sendable {
    /// The value as it is sent.
    var serverParameter: ServerParameter { get }
}

extension Int64: ServerEncodable {
    /// Its digits.
    public var serverParameter: ServerParameter { .text(String(self)) }
}
extension Int: ServerEncodable {
    /// Its digits.
    public var serverParameter: ServerParameter { .text(String(self)) }
}
extension String: ServerEncodable {
    /// The text.
    public var serverParameter: ServerParameter { .text(self) }
}
extension Bool: ServerEncodable {
    /// `true` or `false`.
    public var serverParameter: ServerParameter { .text(self ? "true" : "false") }
}
extension Double: ServerEncodable {
    /// The shortest digits that mean this number.
    public var serverParameter: ServerParameter {
        .text(isNaN ? "NaN" : isInfinite ? (self < 0 ? "-Infinity" : "Infinity") : String(self))
    }
}
extension [UInt8]: ServerEncodable {
    /// The bytes.
    public var serverParameter: ServerParameter { .bytes(self) }
}
extension Value: ServerEncodable {
    /// The value of any storage class.
    public var serverParameter: ServerParameter {
        switch self {
        case .null: .null
        case .integer(let number): number.serverParameter
        case .real(let number): number.serverParameter
        case .text(let text): .text(text)
        case .blob(let bytes): .bytes(bytes)
        }
    }
}
