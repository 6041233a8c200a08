internal import CSQLCipher

// The race of leaving WAL mode
// ============================
//
// `PRAGMA journal_mode = DELETE` copies the log into the database and removes it, under the file's EXCLUSIVE lock
// (`sqlite3PagerCloseWal`), and then writes the new mode into the file's header. In between, every release of SQLite gives
// EXCLUSIVE back for SHARED: `sqlite3PagerSharedLock` looks for a hot journal, as it does whenever more than SHARED is
// held, and finds none. The header still says WAL. Another process that opens the file then makes a new log, commits to
// it and copies it into the file beside the SHARED lock; afterwards the first one writes its own, older page 1. The
// database is damaged, and every call has answered OK.
//
// So the guard keeps EXCLUSIVE from the moment at which the log goes (`xShmUnmap` that deletes, which SQLite calls under
// that lock alone) to the end of the transaction, which gives back all locks. SHARED is less than what is held, so that
// SQLite's own steps do not change.

/// Keeps others out of a database file from the removal of its log until its header says so.
enum LogRemovalGuard {
    /// The index of the log goes, and with `deletes` the log.
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

    /// A lock is given back, all of it or down to `level`.
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
