internal import Lockstep

/// A status together with its author, as returned by one query.
public struct TimelineEntry: Sendable, Hashable {
    /// The status.
    public let status: Status
    /// Who wrote it; nil if the user is not known.
    public let user: User?

    /// The program that it was written with, in readable form: `from web`; empty if unknown.
    public var source: String {
        guard let source = status.source, !source.isEmpty else { return "" }
        // The original programs stored both forms.
        return source.hasPrefix("from ") ? source : "from \(source)"
    }

    /// Where the next page begins, after this entry.
    public var cursor: TimelineCursor {
        TimelineCursor(createdAt: status.createdAt, id: status.id)
    }
}

extension TimelineEntry {
    /// The columns that ``init(row:)`` reads, and their tables.
    static let selection: SQL = """
        SELECT \(Status.columns), \(User.columns) FROM Status LEFT JOIN User ON User.Id = Status.user
        """

    /// Reads a row of ``selection``.
    init(row: borrowing Row) throws(LockstepError) {
        status = try Status(row: row)
        let userID: Int64? = try row[Status.columnCount]
        user = userID == nil ? nil : try User(row: row, from: Status.columnCount)
    }
}
