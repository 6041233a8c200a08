/// The result of copying a database.
public struct CopyReport: Sendable, Hashable {
    /// Pages of the copy, all of them verified.
    public let pages: Int
    /// Rows of each table, by table name: the same in the original and the copy.
    public let rows: [ExactText: Int]
    /// When the copy began, and how long it took.
    public internal(set) var time = JobTime()
}

extension JobProgress.Phase {
    /// Pages or rows are copied.
    public static let copying = Self("copying")
}
