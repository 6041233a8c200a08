internal import Lockstep

/// A complete note.
public struct Note: Sendable, Hashable, Identifiable {
    /// The row's key.
    public let id: Int64
    /// The first ``titleLength`` characters of the text; for notes older than that rule, the title that they were
    /// given.
    public let title: String
    /// The text.
    public let text: String
    /// When it was created, in microseconds since 1970 in UTC; nil if that was not yet recorded.
    public let createdAt: Int64?
    /// When it was last changed, in microseconds since 1970 in UTC; nil if that was not yet recorded.
    public let changedAt: Int64?

    /// How many characters of its text are a note's title: characters as a reader sees them, whatever number of code
    /// points or bytes they have.
    public static let titleLength = 50

    /// The title of a note with this body.
    public static func title(of text: String) -> String { String(text.prefix(titleLength)) }
}
