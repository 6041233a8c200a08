public import Lockstep

/// A type whose values can be read from a server's results.
public protocol ServerDecodable {
    /// The value of the server's text; nil if it is of another type.
    init?(serverText: String)
    /// The value of a sealed column, which has the type that it was sealed with; nil if it is of another type.
    init?(sealed value: Value)
    /// The value of NULL; nil if the type has none.
    static var fromNull: Self? { get }
}

extension ServerDecodable {
    /// Most types have none.
    public static var fromNull: Self? { nil }

    /// A text is read like the server's; no other value is of the type.
    public init?(sealed value: Value) {
        guard case .text(let text) = value else { return nil }
        self.init(serverText: text)
    }
}
extension String: ServerDecodable {
    /// The text.
    public init?(serverText: String) { self = serverText }
}
extension Int64: ServerDecodable {
    /// The number of these digits.
    public init?(serverText: String) { self.init(serverText) }

    /// A sealed integer.
    public init?(sealed value: Value) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}
extension Int: ServerDecodable {
    /// The number of these digits.
    public init?(serverText: String) { self.init(serverText) }

    /// A sealed integer.
    public init?(sealed value: Value) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}
extension UInt32: ServerDecodable {
    /// The number of these digits, such as that of an object in the server's catalogue.
    public init?(serverText: String) { self.init(serverText) }

    /// A sealed integer.
    public init?(sealed value: Value) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}
extension Double: ServerDecodable {
    /// The number of these digits.
    public init?(serverText: String) { self.init(serverText) }

    /// A sealed number.
    public init?(sealed value: Value) {
        switch value {
        case .real(let number): self = number
        case .integer(let number): self.init(exactly: number)
        default: return nil
        }
    }
}
extension Bool: ServerDecodable {
    /// True for `t`.
    public init?(serverText: String) {
        guard serverText == "t" || serverText == "f" else { return nil }
        self = serverText == "t"
    }

    /// A sealed 0 or 1.
    public init?(sealed value: Value) {
        guard case .integer(let number) = value, (0...1).contains(number) else { return nil }
        self = number == 1
    }
}
extension [UInt8]: ServerDecodable {
    /// The bytes of a `bytea`.
    public init?(serverText: String) {
        var text = serverText
        let bytes = text.withUTF8 { unsafe ServerBytes.decode($0) }
        guard let bytes else { return nil }
        self = bytes
    }

    /// Sealed bytes.
    public init?(sealed value: Value) {
        guard case .blob(let bytes) = value else { return nil }
        self = bytes
    }
}
extension Optional: ServerDecodable where Wrapped: ServerDecodable {
    /// The value of the server's text.
    public init?(serverText: String) {
        guard let value = Wrapped(serverText: serverText) else { return nil }
        self = .some(value)
    }

    /// The value of a sealed column.
    public init?(sealed value: Value) {
        guard let value = Wrapped(sealed: value) else { return nil }
        self = .some(value)
    }

    /// Nil.
    public static var fromNull: Wrapped?? { .some(nil) }
}
