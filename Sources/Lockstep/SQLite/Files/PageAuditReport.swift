/// The findings of an audit of a file's pages.
public struct PageAuditReport: Sendable, Hashable {
    /// Pages in the main file.
    public let pages: Int
    /// Committed pages in the write-ahead log.
    public let frames: Int
    /// Numbers of the main file's pages whose MAC fails, in ascending order. Pages that the log replaces are
    /// not checked.
    public let damagedPages: [UInt32]
    /// Numbers of the pages whose copy in the log fails.
    public let damagedFrames: [UInt32]
    /// Pages in the log after its last commit, from a transaction that never ended.
    public let uncommittedFrames: Int
    /// Commits in the log after damage: SQLite ignores them.
    public let lostCommits: Int
    /// Commits at the log's end that are not whole: they were being written when the power went, or were damaged later.
    public let incompleteCommits: Int
    /// Pages that the log had, according to its index, and that are not there.
    public let missingFrames: Int
    /// Whether nothing of the log can be recognised, although it has room for a commit.
    public let isLogUnreadable: Bool
    /// Whether the log's header is damaged: SQLite ignores the log. Without lost commits, its pages are in the file.
    public let isLogHeaderDamaged: Bool
    /// Bytes after the last whole page. Bytes of a page that the log replaces do not count: a checkpoint that
    /// was killed leaves them.
    public let strayBytes: Int

    /// When the audit began, and how long it took.
    public let time: JobTime

    /// Whether everything verified.
    public var isClean: Bool {
        damagedPages.isEmpty && damagedFrames.isEmpty && !hasLostCommits && strayBytes == 0
    }

    /// Whether the log had commits that cannot be reached.
    var hasLostCommits: Bool { lostCommits > 0 || missingFrames > 0 || isLogUnreadable }
}

extension [UInt32] {
    /// The numbers of pages for a message: the first 20, and how many more there are.
    var pageList: String {
        prefix(20).map(String.init).joined(separator: ", ") + (count > 20 ? " and \(count - 20) more" : "")
    }
}
