internal import Lockstep

/// A note, whole.
public struct Note: Sendable, Hashable, Identifiable {
    /// The row's key.
    public let id: Int64
    /// The first ``titleLength`` characters of the text; of notes that are older than that rule, what they were given.
    public let title: String
    /// The text.
    public let text: String
    /// When it was made, in microseconds since 1970 in UTC; nil where that was not yet recorded.
    public let createdAt: Int64?
    /// When it was last changed, in microseconds since 1970 in UTC; nil where that was not yet recorded.
    public let changedAt: Int64?

    /// How many characters of its text are a note's title: what a reader takes for one character, whatever number of
    /// code points or bytes it has.
    public static let titleLength = 50

    /// What the title of a text is.
    public static func title(of text: String) -> String { String(text.prefix(titleLength)) }
}
