internal import CSQLCipher

/// How a connection behaves once it is open.
public struct ConnectionOptions: Sendable {
    /// When a commit counts as done.
    public enum Synchronous: String, Sendable {
        /// When the disk has it: nothing is lost to a power cut. One or two syncs a commit.
        case full = "FULL"
        /// When the operating system has it: the last commits may be lost to a power cut, though never
        /// the file's consistency. No sync outside checkpoints.
        case normal = "NORMAL"
    }

    /// When a commit counts as done; ``Synchronous/full`` unless said otherwise.
    public var synchronous = Synchronous.full
    /// Refuse every write. For queries of unknown origin.
    public var isQueryOnly = false
    /// Bytes of memory for pages. SQLite's own 2 MB make a cached read six times slower.
    public var cacheBytes = 16 * 1024 * 1024
    /// How many prepared statements are kept for the next time that the same SQL is run. Each holds some
    /// kilobytes; preparing one anew takes 5 to 20 µs.
    public var cachedStatements = 64
    /// How long to wait for another connection's lock before ``LockstepError/Code/busy``.
    public var busyTimeout = Duration.seconds(5)

    /// Functions in Swift that SQL can call.
    public var functions: [SQLFunction] = []
    /// Orders of texts in Swift that SQL can name.
    public var collations: [Collation] = []
    /// Bounds below SQLite's own.
    public var limits: [Limit: Int] = [:]
    /// Is told of each statement that has run, on the thread that ran it; never of values. It must not
    /// use the connection. Costs some microseconds a statement.
    public var trace: (@Sendable (TraceEvent) -> Void)?
    /// Is asked while statements run whether to go on.
    public var progress: ProgressHandler?

    /// How long one statement may run, from its beginning to its end, before it ends with
    /// ``LockstepError/Code/limitExceeded``; nil for as long as it takes. What the program does with the
    /// statement's rows counts. SQLite looks every 0.1 to 1 ms while the statement runs, but neither within
    /// one call of a function nor while it sorts what it has collected, nor while it waits for a lock, which
    /// ``busyTimeout`` bounds. COMMIT and ROLLBACK are never ended.
    public var timeLimit: Duration?
    /// When everything on the connection must have ended: from then on no statement begins, and what runs ends
    /// as under ``timeLimit``. A transaction can still be rolled back, and committed. For a connection or
    /// store that is opened for one task.
    public var deadline: ContinuousClock.Instant?

    /// What a layer above adds to the connection.
    var addition: (any ConnectionExtension)?

    /// Whether closing a query-only connection may tidy up a log that it found: where its own store
    /// writes beside it, it is the store's log.
    var sharesLog = false
    /// Keep FTS5 from the file (``ClosedFullText``): somebody else may have written it.
    var closesFullText = false
    /// Write straight into the file, without a journal or syncs: for a database that is being made and is
    /// thrown away if anything fails.
    var isScratch = false

    /// The defaults.
    public init() {}
}
