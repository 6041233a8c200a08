/// A value together with what it was when it was read or last saved: what is set is compared with that, so that
/// setting what was there before changes nothing, and setting it back undoes a change.
///
///     var ann = Tracked(contact)
///     ann.firstName = "Anne"
///     ann.isDirty                  // true
///     try store.update(&ann)       // writes the first name alone, and clears the mark
@dynamicMemberLookup
public struct Tracked<Value: Trackable>: Sendable {
    /// What is stored; nil for what never was.
    public private(set) var stored: Value?
    /// What it is now.
    public private(set) var current: Value

    /// Begins with a value as the store gave it, or a new one.
    public init(_ value: Value) {
        current = value
        stored = value.isStored ? value : nil
    }

    /// A field, to be read and set.
    public subscript<Field>(dynamicMember field: WritableKeyPath<Value, Field>) -> Field {
        get { current[keyPath: field] }
        set { current[keyPath: field] = newValue }
    }

    /// A field that can only be read.
    public subscript<Field>(dynamicMember field: KeyPath<Value, Field>) -> Field {
        current[keyPath: field]
    }

    /// What was changed since then; empty for what was never stored.
    public var changes: [Value.Change] {
        stored.map { Value.changes(from: $0, to: current) } ?? []
    }

    /// Whether a row stands for it, which an update could change.
    public var isStored: Bool { stored != nil }

    /// Whether it is other than what is stored. What was never stored is.
    public var isDirty: Bool { !isStored || !changes.isEmpty }

    /// Takes all changes back; what was never stored stays as it is.
    public mutating func revert() { current = stored ?? current }

    /// What it is now is what is stored.
    mutating func clear(_ value: Value) {
        current = value
        stored = value
    }
}
