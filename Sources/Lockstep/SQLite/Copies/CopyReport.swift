internal import CSQLCipher

/// What a copy of a database has come to.
public struct CopyReport: Sendable, Hashable {
    /// Pages of the copy, each of which was verified.
    public let pages: Int
    /// Rows of each table, by the tables' names: the same in the original and the copy.
    public let rows: [String: Int]
}
