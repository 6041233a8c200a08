internal import Lockstep

/// A note as lists contain it: without its text.
public struct NoteTitle: Sendable, Hashable, Identifiable {
    /// The row's key.
    public let id: Int64
    /// The note's title.
    public let title: String
    /// When it was created, in microseconds since 1970 in UTC; nil if that was not yet recorded.
    public let createdAt: Int64?
    /// When it was last changed, in microseconds since 1970 in UTC; nil if that was not yet recorded.
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
