/// A value as it is sent.
public enum ServerParameter: Sendable, Hashable {
    /// No value.
    case null
    /// In the form of the server's texts, which the server reads by the type that the statement asks for.
    case text(String)
    /// A `bytea`.
    case bytes([UInt8])
}

extension ServerParameter: ServerEncodable {
    /// The value itself.
    public var serverParameter: ServerParameter { self }
}
