internal import CSQLCipher
internal import Synchronization

// The WAL-reset race
// ==================
//
// In SQLite before 3.44.6, in 3.45 to 3.50.6 and in 3.51.0 to 3.51.2, a PASSIVE checkpoint first reads the
// header of the WAL index, and later reads from shared memory how much of the log has been copied. If another
// connection's commit restarts the log in between, the two values belong to different logs: the checkpointer
// takes old pages for new ones and marks them as copied. Commits that every call acknowledged are lost, while
// every page's MAC is right.
//
// A log's two salts change whenever it restarts; they are bytes 32 to 39 of the WAL index. So:
//
// - When a checkpointer takes its lock (CKPT, 1), the guard records the salts. They cannot change while the
//   writer's lock (WRITE, 0) is also held, as in all modes but PASSIVE and while an index is recovered; the
//   guard records them again when that lock is taken and before it is released.
// - Before it copies, a checkpointer takes the lock of the first reader slot (READ0, 3). A writer that restarts
//   the log holds a shared lock on it, so the log stays the same while a checkpointer holds it exclusively. If
//   the salts differ from the recorded ones, the guard releases the lock and returns SQLITE_BUSY. A PASSIVE
//   checkpoint then ends without doing anything.
//
// The numbers of the locks are SQLite's (`sqlite3WalCheckpoint`, wal.c): processes share them, so they are the
// same in every version that can have the file open.

/// Keeps the checkpoints of a database file from copying a log that has restarted meanwhile.
enum CheckpointGuard {
    /// How many checkpoints the guard has stopped in this process.
    static let stops = Atomic<Int>(0)
    /// The log that a checkpoint works on.
    enum Log: Equatable {
        /// This file does not hold the checkpointer's lock.
        case unwatched
        /// There was no index yet.
        case unknown
        /// The log with these salts.
        case salts(UInt64)
    }

    private static let taking = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
    private static let givingBack = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE
    // Three of the eight locks (wal.c: WAL_WRITE_LOCK, WAL_CKPT_LOCK, WAL_READ_LOCK(0)).
    private static let writer: Int32 = 0
    private static let checkpointer: Int32 = 1
    private static let firstReader: Int32 = 3

    static let lock: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32, Int32, Int32) -> Int32 = {
        file, first, count, flags in
        guard let file = unsafe file else { return SQLITE_MISUSE }
        let state = unsafe GuardedFile.state(of: file)
        guard let below = unsafe state.pointee.base.pointee.xShmLock else {
            return SQLITE_IOERR
        }
        if flags == givingBack, unsafe state.pointee.log != .unwatched {
            if first == checkpointer { unsafe state.pointee.log = .unwatched }
            // A recovered index has the log's own salts.
            if first == writer { unsafe state.pointee.log = current(file, state) }
        }
        let code = unsafe below(file, first, count, flags)
        guard flags == taking, code == SQLITE_OK, count == 1 else { return code }
        switch first {
        case checkpointer: unsafe state.pointee.log = current(file, state)
        case writer:
            if unsafe state.pointee.log != .unwatched {
                unsafe state.pointee.log = current(file, state)
            }
        case firstReader:
            guard unsafe state.pointee.log != .unwatched,
                unsafe state.pointee.log != current(file, state),
                !GuardedFile.isOff
            else { break }
            stops.add(1, ordering: .relaxed)
            _ = unsafe below(file, first, count, givingBack)
            return SQLITE_BUSY
        default: break
        }
        return code
    }

    /// The log that the index describes now.
    private static func current(
        _ file: UnsafeMutablePointer<sqlite3_file>, _ state: UnsafeMutablePointer<GuardedFile.State>
    ) -> Log {
        guard let map = unsafe state.pointee.base.pointee.xShmMap else { return .unknown }
        var page: UnsafeMutableRawPointer?
        // The index's first block (WALINDEX_PGSZ), if it exists already.
        let code = unsafe withUnsafeMutablePointer(to: &page) { page in
            unsafe map(
                file, 0, 32_768, 0,
                unsafe UnsafeMutableRawPointer(page).assumingMemoryBound(to: UnsafeMutableRawPointer?.self))
        }
        guard code == SQLITE_OK, let page = unsafe page else { return .unknown }
        // Field by field, as other processes write it.
        return .salts(unsafe page.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
    }
}

/// How many checkpoints the guard has stopped in this process: for the tests' programs.
package func checkpointGuardStops() -> Int { CheckpointGuard.stops.load(ordering: .relaxed) }
