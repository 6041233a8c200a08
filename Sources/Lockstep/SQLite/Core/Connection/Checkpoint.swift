internal import CSQLCipher
internal import SystemPackage

extension Connection {
    /// Copies the write-ahead log into the database file.
    /// - Throws: ``LockstepError/Code/busy`` if a reader or writer blocked `full` or `truncate` for longer than
    ///   the busy timeout; ``LockstepError/Code/misuse`` inside a transaction.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws(LockstepError)
        -> CheckpointResult
    {
        guard !isInTransaction else {
            throw LockstepError(
                .misuse, "a checkpoint cannot run inside a transaction", hint: "run it before or after the transaction")
        }
        var inLog: Int32 = 0
        var copied: Int32 = 0
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode.code, &inLog, &copied)
        guard code == SQLITE_OK else { throw core.error(code) }
        return CheckpointResult(pagesInLog: max(Int(inLog), 0), pagesCopied: max(Int(copied), 0))
    }

    /// Makes all commits so far survive a power loss, whatever ``ConnectionOptions/synchronous`` says.
    func syncLog() throws {
        let log = DatabaseFile.side("-wal", of: path)
        guard FileAccess.exists(log) else { return }
        let file = try translatingErrno("open", log) {
            try FileDescriptor.open(log, .readOnly, options: [.noFollow, .closeOnExec])
        }
        // SQLite holds no locks on the log, so closing a descriptor of it drops none.
        defer { try? file.close() }
        try AtomicFile.sync(file, log)
    }
}
