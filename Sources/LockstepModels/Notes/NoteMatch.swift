internal import Lockstep

/// A note found by a search.
public struct NoteMatch: Sendable, Hashable, Identifiable {
    /// The note.
    public let note: NoteTitle
    /// Some words of its text, or of its title, around the match.
    public let excerpt: String

    /// The note's key.
    public var id: Int64 { note.id }
}
