internal import Lockstep

/// A status together with who wrote it, as one query gives them.
public struct TimelineEntry: Sendable, Hashable {
    /// The status.
    public let status: Status
    /// Who wrote it; nil where the user is not known.
    public let user: User?

    /// With what it was written, as people read it: `from web`; empty where that is not known.
    public var source: String {
        guard let source = status.source, !source.isEmpty else { return "" }
        // The original programs stored it either way.
        return source.hasPrefix("from ") ? source : "from \(source)"
    }

    /// Where the next page begins, after this entry.
    public var cursor: TimelineCursor {
        TimelineCursor(createdAt: status.createdAt, id: status.id)
    }
}

extension TimelineEntry {
    /// The columns that ``init(row:)`` reads, and where from.
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
