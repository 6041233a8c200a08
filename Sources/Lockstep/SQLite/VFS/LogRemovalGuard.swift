internal import CSQLCipher

// The race of leaving WAL mode
// ============================
//
// `PRAGMA journal_mode = DELETE` copies the log into the database and removes it, under the file's EXCLUSIVE
// lock (`sqlite3PagerCloseWal`), and then writes the new mode into the file's header. In between, every release
// of SQLite downgrades EXCLUSIVE to SHARED: `sqlite3PagerSharedLock` looks for a hot journal, as it does
// whenever it holds more than SHARED, and finds none. The header still says WAL. Another process that opens the
// file then creates a new log, commits to it and copies it into the file despite the SHARED lock; afterwards
// the first process writes its own, older page 1. The database is damaged, although every call has returned OK.
//
// So the guard keeps EXCLUSIVE from the removal of the log (a deleting `xShmUnmap`, which SQLite calls only
// under that lock) to the end of the transaction, which releases all locks. EXCLUSIVE includes SHARED, so
// SQLite's own steps do not change.

/// Keeps other processes out of a database file from the removal of its log until its header is written.
enum LogRemovalGuard {
    /// Closes the index of the log, and removes the log if `deletes` is set.
    static let unmap: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32 = {
        file, deletes in
        guard let file = unsafe file else { return SQLITE_MISUSE }
        let state = unsafe GuardedFile.state(of: file)
        guard let below = unsafe state.pointee.base.pointee.xShmUnmap else {
            return SQLITE_IOERR
        }
        if deletes != 0 { unsafe state.pointee.keepsExclusiveLock = true }
        return unsafe below(file, deletes)
    }

    /// Releases a lock, completely or down to `level`.
    static let unlock: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32 = {
        file, level in
        guard let file = unsafe file else { return SQLITE_MISUSE }
        let state = unsafe GuardedFile.state(of: file)
        guard let below = unsafe state.pointee.base.pointee.xUnlock else { return SQLITE_IOERR }
        if unsafe state.pointee.keepsExclusiveLock {
            if level == SQLITE_LOCK_SHARED, !GuardedFile.isOff {
                return SQLITE_OK
            }
            unsafe state.pointee.keepsExclusiveLock = false
        }
        return unsafe below(file, level)
    }
}
