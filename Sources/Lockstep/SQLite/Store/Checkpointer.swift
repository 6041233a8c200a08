internal import CSQLCipher
internal import Synchronization

/// Brings the write-ahead log into the database file in the background, on a connection and a thread of
/// its own, so that commits do not wait for it.
///
/// A passive checkpoint waits for nobody and copies what no reader still needs. Only a log that is copied
/// whole begins anew, and beside a busy writer that never comes about; so the writer itself copies what it
/// added meanwhile, which is little. Writing over an old log costs a sync about half of what growing one
/// does, for then the file's length and place on the disk need not be written.
// Sendable by this proof: `isAtWork` and `isClosed` are touched only while the condition's lock is held,
// `pagesAtStart` and `pagesAtWait` only by the holder of the writer's pooled connection.
final class Checkpointer: @unchecked Sendable {
    /// The connection, with the thread that checkpoints run on.
    let pooled: PooledConnection
    private let threshold: Int
    /// Pages in the log after the last commit.
    private let pagesInLog = Atomic<Int>(0)
    /// How long the log was when the last checkpoint was due: one a threshold's growth, not one a commit.
    private var pagesAtStart = 0
    /// How long the log was when the writer last waited. Beside a reader of an old snapshot waiting is of no
    /// use, and is not done at each commit.
    private var pagesAtWait = 0
    /// Whether a checkpoint is done whose rest the writer has not copied yet.
    private let hasRest = Atomic<Bool>(false)
    private let changed = Condition()
    private var isAtWork = false
    private var isClosed = false

    /// At how many times the threshold the writer waits for a checkpoint that does not keep up.
    private static let limit = 8

    /// - Parameter threshold: Pages in the log from which on a checkpoint is worth it.
    init(_ pooled: PooledConnection, threshold: Int) {
        self.pooled = pooled
        self.threshold = max(threshold, 1)
    }

    /// Called on the writer's thread after each commit.
    func note(pagesInLog pages: Int) { pagesInLog.store(pages, ordering: .relaxed) }

    /// Starts a checkpoint if one is due and none is under way. Called by the writer between its
    /// transactions.
    func keepUp(_ writer: borrowing Connection) {
        let pages = pagesInLog.load(ordering: .relaxed)
        // A log that was begun anew is shorter than it was.
        if pages < max(pagesAtStart, pagesAtWait) { (pagesAtStart, pagesAtWait) = (0, 0) }
        let isFarBehind = pages - pagesAtWait >= Self.limit * threshold
        if isFarBehind {
            waitUntilIdle()
            pagesAtWait = pages
        }
        if hasRest.exchange(false, ordering: .relaxed) || isFarBehind {
            // A failure is no loss: everything is in the log, and a later checkpoint tries again.
            let result = try? writer.checkpoint(.passive)
            // The next write begins the log anew, unless another connection reads it just then: so none is
            // started that would have nothing to do.
            if result?.isComplete == true { return }
        }
        guard pages - pagesAtStart >= threshold else { return }
        let isDue = changed.locked { () -> Bool in
            guard !isAtWork, !isClosed else { return false }
            isAtWork = true
            return true
        }
        guard isDue else { return }
        pagesAtStart = pages
        start()
    }

    private func start() {
        do {
            try pooled.worker.submit { self.work() }
        } catch {
            setDone()
        }
    }

    private func work() {
        defer { setDone() }
        // A failure is no loss here, either.
        let result = try? pooled.use { connection in try connection.checkpoint(.passive) }
        if result != nil { hasRest.store(true, ordering: .relaxed) }
    }

    private func setDone() {
        changed.locked { isAtWork = false }
        changed.broadcast()
    }

    /// Waits for a checkpoint that is under way. Only the writer starts them.
    func waitUntilIdle() { changed.locked { while isAtWork { changed.wait() } } }

    /// Keeps closing from touching the log.
    func leaveLogAlone() {
        waitUntilIdle()
        pooled.leaveLogAlone()
    }

    /// Waits for a checkpoint that is under way, and closes the connection.
    func close() {
        changed.locked {
            while isAtWork { changed.wait() }
            // None will be started any more.
            isClosed = true
        }
        pooled.close()
    }
}

extension Connection {
    /// Has `checkpointer` know the log's length after each commit, instead of SQLite's own checkpoints.
    /// The checkpointer must live as long as the connection.
    func watchLog(_ checkpointer: Checkpointer) {
        authorizer.isLogWatched = true
        let context = unsafe Unmanaged.passUnretained(checkpointer).toOpaque()
        unsafe _ = sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                if let context = unsafe context {
                    unsafe Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue()
                        .note(pagesInLog: Int(pages))
                }
                return SQLITE_OK
            }, context)
    }
}
