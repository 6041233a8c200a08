public import Lockstep

/// Something that a user wrote.
public struct Status: Sendable, Hashable {
    /// The row's key; 0 before it is added.
    public var id: Int64
    /// The program that it was written with, such as `web`.
    public var source: String?
    /// When it was written, in microseconds since 1970 in UTC; nil if unknown.
    public var createdAt: Int64?
    /// The original date, if it could not be read as an instant in the migration to version 2.
    public var createdAtAsWritten: String?
    /// The text.
    public var text: String
    /// Who wrote it; nil if unknown, as in old data.
    public var userID: Int64?

    /// Makes a status.
    public init(
        id: Int64 = 0, source: String? = nil, createdAt: Int64? = nil,
        createdAtAsWritten: String? = nil, text: String, userID: Int64? = nil
    ) {
        self.id = id
        self.source = source
        self.createdAt = createdAt
        self.createdAtAsWritten = createdAtAsWritten
        self.text = text
        self.userID = userID
    }
}

extension Status {
    /// The columns that ``init(row:)`` reads.
    static let columns: SQL = """
        Status.Id, Status.source, Status.createdAt, Status.createdAtAsWritten, Status."text", Status.user
        """
    static let columnCount = 6

    /// Reads ``columns``, which come first.
    init(row: borrowing Row) throws(LockstepError) {
        id = try row[0]
        source = try row[1]
        createdAt = try row[2]
        createdAtAsWritten = try row[3]
        text = try row[4]
        userID = try row[5]
    }
}

extension Status: RowEncodable {
    /// Appends the values of a new row: key, source, instant, date as written, text, user.
    public func encode(to parameters: inout Parameters) {
        parameters.append(id)
        parameters.append(source)
        parameters.append(createdAt)
        parameters.append(createdAtAsWritten)
        parameters.append(text)
        parameters.append(userID)
    }
}
