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

/// A note as a list has it: without its text.
public struct NoteTitle: Sendable, Hashable, Identifiable {
    /// The row's key.
    public let id: Int64
    /// The note's title.
    public let title: String
    /// When it was made, in microseconds since 1970 in UTC; nil where that was not yet recorded.
    public let createdAt: Int64?
    /// When it was last changed, in microseconds since 1970 in UTC; nil where that was not yet recorded.
    public let changedAt: Int64?

    /// Reads a row of ``columns``.
    init(row: borrowing Row) throws {
        id = try row[0]
        title = try row[1]
        createdAt = try row[2]
        changedAt = try row[3]
    }

    static let columns: SQL = "id, title, createdAt, changedAt"
}

/// A note that a search has found.
public struct NoteMatch: Sendable, Hashable, Identifiable {
    /// The note.
    public let note: NoteTitle
    /// Some words of its text, or of its title, around what was found.
    public let excerpt: String

    /// The note's key.
    public var id: Int64 { note.id }
}
