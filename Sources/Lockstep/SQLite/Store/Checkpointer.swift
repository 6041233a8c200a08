internal import CSQLCipher
internal import Synchronization

/// Brings the write-ahead log into the database file in the background, on a connection and a thread of
/// its own: never on the way of a commit.
///
/// A passive checkpoint waits for nobody and copies what no reader still needs. When all of the log is
/// copied, the next write begins it anew.
// Sendable by this proof: `isAtWork` and `isClosed` are touched only while the condition's lock is held,
// `pagesAtStart` only by the holder of the writer's seat.
final class Checkpointer: @unchecked Sendable {
    private let seat: Seat
    private let threshold: Int
    /// Pages in the log after the last commit.
    private let pagesInLog = Atomic<Int>(0)
    /// From how many pages on the writer helps, if that is more than usual.
    private let pagesAtLimit = Atomic<Int>(0)
    /// How long the log was when the last checkpoint was due: one a threshold's growth, not one a commit.
    private var pagesAtStart = 0
    private let changed = Condition()
    private var isAtWork = false
    private var isClosed = false

    /// At how many times the threshold the writer lends a hand.
    private static let limit = 8

    /// - Parameter threshold: Pages in the log from which on a checkpoint is worth it.
    init(_ seat: Seat, threshold: Int) {
        self.seat = seat
        self.threshold = max(threshold, 1)
    }

    /// Called on the writer's thread after each commit.
    func note(pagesInLog pages: Int) { pagesInLog.store(pages, ordering: .relaxed) }

    /// Starts a checkpoint if one is due and none is under way. Called by the writer between its
    /// transactions.
    func keepUp(_ writer: borrowing Connection) {
        let pages = pagesInLog.load(ordering: .relaxed)
        // A log that was begun anew is shorter than it was.
        if pages < pagesAtStart { pagesAtStart = 0 }
        guard pages - pagesAtStart >= threshold else { return }
        pagesAtStart = pages
        if pages >= Self.limit * threshold, pages >= pagesAtLimit.load(ordering: .relaxed) {
            lendHand(writer)
        } else if changed.locked({ () -> Bool in
            guard !isAtWork, !isClosed else { return false }
            isAtWork = true
            return true
        }) {
            start()
        }
    }

    /// Under a steady load a checkpoint beside the writer never catches up, since only a log that is
    /// copied whole begins anew; it would grow without end. So now and then the writer itself copies the
    /// rest, which is little.
    private func lendHand(_ writer: borrowing Connection) {
        waitUntilIdle()
        let result = try? writer.checkpoint(.passive)
        // Where a reader holds an old snapshot this helps only when it has gone: not at every commit.
        let isCopied = result?.isComplete ?? false
        let pages = pagesInLog.load(ordering: .relaxed)
        pagesAtLimit.store(isCopied ? 0 : pages + Self.limit * threshold, ordering: .relaxed)
    }

    private func start() {
        do {
            try seat.worker.submit { self.work() }
        } catch {
            setDone()
        }
    }

    private func work() {
        defer { setDone() }
        // A failure is no loss: everything is in the log, and a later commit tries again.
        _ = try? seat.use { connection in try connection.checkpoint(.passive) }
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
        seat.leaveLogAlone()
    }

    /// Waits for a checkpoint that is under way, and closes the connection.
    func close() {
        changed.locked {
            while isAtWork { changed.wait() }
            // None will be started any more.
            isClosed = true
        }
        seat.close()
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
