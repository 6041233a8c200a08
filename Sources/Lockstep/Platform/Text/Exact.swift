/// A property with a text that comes from SQL, a file, a folder or a server, in a type whose equality Swift derives: it
/// is compared by its bytes, as ``ExactText`` is.
///
///     struct Place: Hashable {
///         @Exact var table: String
///     }
@propertyWrapper
public struct Exact<Text: ExactlyComparable>: Sendable, Hashable {
    /// The text.
    public var wrappedValue: Text

    /// A property with a text.
    public init(wrappedValue: Text) { self.wrappedValue = wrappedValue }

    /// Whether both have the same bytes.
    public static func == (one: Exact, other: Exact) -> Bool {
        Text.areExactlyEqual(one.wrappedValue, other.wrappedValue)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { Text.hash(exactly: wrappedValue, into: &hasher) }
}
