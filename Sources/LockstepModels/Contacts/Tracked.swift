/// A value together with its state when it was read or last saved. Setting a field is compared with that state, so
/// setting the same value changes nothing, and setting it back undoes a change.
///
///     var ann = Tracked(contact)
///     ann.firstName = "Anne"
///     ann.isDirty                  // true
///     try store.update(&ann)       // writes the first name alone, and clears the mark
@dynamicMemberLookup
public struct Tracked<Value: Trackable>: Sendable {
    /// The stored value; nil if it was never stored.
    public private(set) var stored: Value?
    /// The current value.
    public internal(set) var current: Value

    /// Starts with a value from the store, or a new one.
    public init(_ value: Value) {
        current = value
        stored = value.isStored ? value : nil
    }

    /// A field that can be read and set.
    public subscript<Field>(dynamicMember field: WritableKeyPath<Value, Field>) -> Field {
        get { current[keyPath: field] }
        set { current[keyPath: field] = newValue }
    }

    /// A field that can only be read.
    public subscript<Field>(dynamicMember field: KeyPath<Value, Field>) -> Field {
        current[keyPath: field]
    }

    /// The changes since then; empty if it was never stored.
    public var changes: [Value.Change] {
        stored.map { Value.changes(from: $0, to: current) } ?? []
    }

    /// Whether it is stored in a row, which an update could change.
    public var isStored: Bool { stored != nil }

    /// Whether it differs from what is stored. A value that was never stored does.
    public var isDirty: Bool { !isStored || !changes.isEmpty }

    /// Undoes all changes; a value that was never stored stays as it is.
    public mutating func revert() { current = stored ?? current }

    /// Marks the current value as stored.
    mutating func clear(_ value: Value) {
        current = value
        stored = value
    }
}
