/// A value that can report what changed since it was read.
public protocol Trackable: Sendable {
    /// One change: the field, its old and its new value.
    associatedtype Change: Sendable

    /// Whether it is stored in a row.
    var isStored: Bool { get }
    /// The changes that turn one into the other; none if both are the same, byte for byte.
    static func changes(from old: Self, to new: Self) -> [Change]
}
