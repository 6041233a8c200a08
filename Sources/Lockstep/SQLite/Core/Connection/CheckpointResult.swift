internal import CSQLCipher
internal import SystemPackage

/// What a checkpoint has come to.
public struct CheckpointResult: Sendable, Hashable {
    /// Pages in the log.
    public let pagesInLog: Int
    /// How many of them are in the database file now.
    public let pagesCopied: Int

    /// Whether nothing is left in the log that the file lacks.
    public var isComplete: Bool { pagesCopied == pagesInLog }
}
