internal import Lockstep

/// A note that a search has found.
public struct NoteMatch: Sendable, Hashable, Identifiable {
    /// The note.
    public let note: NoteTitle
    /// Some words of its text, or of its title, around what was found.
    public let excerpt: String

    /// The note's key.
    public var id: Int64 { note.id }
}
