/// A value of which it can be told what was changed since it was read.
public protocol Trackable: Sendable {
    /// One change: of what, from what, to what.
    associatedtype Change: Sendable

    /// Whether a row stands for it.
    var isStored: Bool { get }
    /// What is to be changed to make the one of the other; nothing where both are the same, byte for byte.
    static func changes(from old: Self, to new: Self) -> [Change]
}
