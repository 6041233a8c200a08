/// The result of a checkpoint.
public struct CheckpointResult: Sendable, Hashable {
    /// Pages in the log.
    public let pagesInLog: Int
    /// How many of them are now in the database file.
    public let pagesCopied: Int

    /// Whether the database file now holds the whole log.
    public var isComplete: Bool { pagesCopied == pagesInLog }
}
