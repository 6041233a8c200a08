/// How a connection behaves once it is open.
public struct ConnectionOptions: Sendable {
    /// When a commit counts as done.
    public enum Synchronous: String, Sendable {
        /// When the data is on disk: a power cut loses nothing. One or two syncs per commit.
        case full = "FULL"
        /// When the operating system has the data: a power cut can lose the last commits, but never the file's
        /// consistency. No sync outside checkpoints.
        case normal = "NORMAL"
    }

    /// What opening does if the write-ahead log is damaged, so that SQLite does not reach commits in it, and nobody
    /// else has the database open.
    public enum DamagedLog: Sendable {
        /// Fail with ``LockstepError/Code/damaged``, and change nothing.
        case refuse
        /// Copy the database and its log, go on without those commits, and say so in ``Connection/setAsideLog`` or
        /// ``Store/setAsideLog``. ``Salvage`` reads the copy. Needs as much disk space as both.
        case setAside
    }

    /// When a commit counts as done; by default ``Synchronous/full``.
    public var synchronous = Synchronous.full
    /// Refuse every write. For queries of unknown origin.
    public var isQueryOnly = false
    /// What opening does if the write-ahead log is damaged; by default ``DamagedLog/setAside``. A query-only connection
    /// always refuses, or, with ``Synchronous/normal``, reads what SQLite reaches: there a power cut can leave such a
    /// log.
    public var damagedLog = DamagedLog.setAside
    /// Bytes of memory for pages. SQLite's default of 2 MB makes a cached read six times slower.
    public var cacheBytes = 16 * 1024 * 1024
    /// How many prepared statements are cached for the next run of the same SQL. Each takes some kilobytes;
    /// preparing a statement again takes 5 to 20 µs.
    public var cachedStatements = 64
    /// How long to wait for another connection's lock before ``LockstepError/Code/busy``. ``progress`` and the
    /// cancellation of the task can end the wait of opening and of the beginning of a transaction.
    public var busyTimeout = Duration.seconds(5)

    /// Functions in Swift that SQL can call.
    public var functions: [SQLFunction] = []
    /// Collations in Swift that SQL can name.
    public var collations: [Collation] = []
    /// Limits lower than SQLite's own.
    public var limits: [Limit: Int] = [:]
    /// Called after each statement, on the thread that ran it; never receives values. It must not use the
    /// connection. Costs some microseconds per statement.
    public var trace: (@Sendable (TraceEvent) -> Void)?
    /// Called while statements run, and while a transaction waits for a lock; decides whether they go on.
    public var progress: ProgressHandler?

    /// How long one statement can run, from beginning to end, before it fails with
    /// ``LockstepError/Code/limitExceeded``; nil for no limit. The time that the program spends on the
    /// statement's rows counts. SQLite checks every 0.1 to 1 ms while the statement runs, but not during a call
    /// of a function, while it sorts collected rows, or while it waits for a lock, which ``busyTimeout``
    /// limits. COMMIT and ROLLBACK are never ended.
    public var timeLimit: Duration?
    /// When all work on the connection must have ended: after that no statement begins, and a running one ends
    /// as under ``timeLimit``. A transaction can still be rolled back or committed. For a connection or store
    /// that is opened for one task.
    public var deadline: ContinuousClock.Instant?

    /// How many rows ``Connection/all(_:where:orderBy:limit:offset:)`` can open to order them by a sealed column,
    /// before it fails with ``LockstepError/Code/limitExceeded``. Opening 100,000 cells takes some 0.1 s.
    public var maximumOpenedRows = 100_000

    /// The part of an upper layer in the connection.
    var addition: (any ConnectionExtension)?

    /// Whether another connection of the same store has compared the keyring with the database: since then both can
    /// have changed, which does not make the store's keys old.
    var isLater = false
    /// What a connection may do to the file and to what is beside it.
    enum Access: Sendable {
        case full
        /// Read. An existing log stays as it is.
        case readOnly
        /// Read a file that nobody changes, without a lock or a file beside it.
        case immutable
    }
    /// Where the place cannot be written, a query-only connection decides for itself; see ``ReadOnlyPlace``.
    var access = Access.full

    /// Whether a query-only connection can checkpoint and remove an existing log when it closes: true where its
    /// own store also writes, since the log is then the store's.
    var sharesLog = false
    /// Whether opening looks for damage of the log: false where somebody has looked already.
    var looksAtLog = true
    /// Use ``DisabledFTS5`` instead of FTS5: for files of unknown origin.
    var closesFullText = false
    /// Write straight into the file, without a journal or syncs: for a new database that is deleted if anything
    /// fails.
    var isScratch = false

    /// The same for a database that this process makes.
    var ofNew: ConnectionOptions {
        var options = self
        options.addition = options.addition?.shared(isNew: true)
        return options
    }

    /// The same for all connections of one job: the first compares the keyrings with the database. Since then both can
    /// have changed, which does not make the job's keys old.
    var ofOneJob: ConnectionOptions {
        var options = self
        options.addition = options.addition?.shared(isNew: false)
        return options
    }

    var answer: FirstLook.Answer {
        guard looksAtLog, !isScratch, access != .immutable else { return .goOn }
        guard isQueryOnly, !sharesLog else {
            return damagedLog == .refuse ? .refuse : .setAside
        }
        return synchronous == .normal ? .goOn : .refuse
    }

    /// The defaults.
    public init() {}
}

extension ConnectionOptions {
    /// Whether the ``deadline`` has passed.
    var isPastDeadline: Bool { deadline.map { $0 <= .now } ?? false }

    /// The same options for procedures that migrate; statements end as soon as `shouldContinue` returns false.
    /// - Parameter isChecked: Whether the procedure has already opened the same database.
    func asking(
        _ shouldContinue: @escaping @Sendable () -> Bool, isChecked: Bool = false
    ) -> ConnectionOptions {
        var options = self
        let own = progress
        // 10,000 instructions take some 0.1 to 1 ms.
        options.progress = ProgressHandler(every: own?.interval ?? 10_000) {
            shouldContinue() && own?.shouldContinue() != false
        }
        options.addition = addition?.migrating(isChecked: isChecked)
        return options
    }
}
