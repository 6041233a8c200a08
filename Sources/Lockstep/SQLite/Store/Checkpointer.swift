internal import CSQLCipher
internal import Synchronization

/// Checkpoints the write-ahead log in the background, on its own connection and thread, so that commits do not
/// wait for it.
///
/// A passive checkpoint blocks no other connection and copies the pages that no reader still needs. The log restarts
/// only once it is copied completely, which never happens while a writer is busy. So the writer itself copies the few
/// pages that it added during the checkpoint. Overwriting an old log makes a sync about half as expensive as growing
/// one, because the file's length and its place on disk need not be written.
// Sendable by this proof: `isAtWork` and `isClosed` are touched only while the condition's lock is held,
// `pagesAtStart` and `pagesAtWait` only by the holder of the writer's pooled connection.
final class Checkpointer: @unchecked Sendable {
    /// The connection, with the thread that checkpoints run on.
    let pooled: PooledConnection
    private let threshold: Int
    /// Pages in the log after the last commit.
    private let pagesInLog = Atomic<Int>(0)
    /// The log's length when the last checkpoint started: one checkpoint per threshold of growth, not one per
    /// commit.
    private var pagesAtStart = 0
    /// The log's length when the writer last waited. Waiting does not help while a reader holds an old
    /// snapshot, so the writer does not wait at each commit.
    private var pagesAtWait = 0
    /// Whether a checkpoint has finished and the writer has not yet copied the rest.
    private let hasRest = Atomic<Bool>(false)
    private let changed = WaitCondition()
    private var isAtWork = false
    private var isClosed = false

    /// The writer waits for a lagging checkpoint once the log has grown by this multiple of the threshold.
    private static let limit = 8

    /// - Parameter threshold: Pages in the log from which a checkpoint is worthwhile.
    init(_ pooled: PooledConnection, threshold: Int) {
        self.pooled = pooled
        self.threshold = max(threshold, 1)
    }

    /// Called on the writer's thread after each commit.
    func note(pagesInLog pages: Int) { pagesInLog.store(pages, ordering: .relaxed) }

    /// Starts a checkpoint if one is needed and none is running. The writer calls this between its
    /// transactions.
    func keepUp(_ writer: borrowing Connection) {
        let pages = pagesInLog.load(ordering: .relaxed)
        // A restarted log is shorter than before.
        if pages < max(pagesAtStart, pagesAtWait) { (pagesAtStart, pagesAtWait) = (0, 0) }
        let isFarBehind = pages - pagesAtWait >= Self.limit * threshold
        if isFarBehind {
            waitUntilIdle()
            pagesAtWait = pages
        }
        if hasRest.exchange(false, ordering: .relaxed) || isFarBehind {
            // A failure loses nothing: everything is in the log, and the next commit looks again.
            _ = try? writer.checkpoint(.passive)
            // The next write restarts the log unless another connection is reading it at that moment, so do not
            // start a checkpoint that has nothing to copy.
            return
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
        // A failure loses nothing here either.
        let result = try? pooled.use { connection in try connection.checkpoint(.passive) }
        if result != nil { hasRest.store(true, ordering: .relaxed) }
    }

    private func setDone() {
        changed.locked { isAtWork = false }
        changed.broadcast()
    }

    /// Waits for a running checkpoint. Only the writer starts checkpoints.
    func waitUntilIdle() { changed.locked { while isAtWork { changed.wait() } } }

    /// Waits for a running checkpoint and closes the connection.
    func close() {
        changed.locked {
            while isAtWork { changed.wait() }
            // No checkpoint starts from here on.
            isClosed = true
        }
        pooled.close()
    }
}

extension Connection {
    /// Reports the log's length to `checkpointer` after each commit, in place of SQLite's own checkpoints. The
    /// checkpointer must live as long as the connection.
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
