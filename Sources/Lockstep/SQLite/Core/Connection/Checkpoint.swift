internal import CSQLCipher
internal import SystemPackage

extension Connection {
    /// Brings the write-ahead log into the database file.
    /// - Throws: ``LockstepError/Code/busy`` if `full` or `truncate` met a reader or writer that stayed
    ///   for longer than the busy timeout; ``LockstepError/Code/misuse`` inside a transaction.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws(LockstepError)
        -> CheckpointResult
    {
        guard !isInTransaction else {
            throw LockstepError(
                .misuse, "a checkpoint cannot run inside a transaction",
                hint: "run it before or behind the transaction")
        }
        var inLog: Int32 = 0
        var copied: Int32 = 0
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode.code, &inLog, &copied)
        guard code == SQLITE_OK else { throw core.error(code) }
        return CheckpointResult(pagesInLog: max(Int(inLog), 0), pagesCopied: max(Int(copied), 0))
    }

    /// Makes every commit so far survive a loss of power, whatever ``ConnectionOptions/synchronous`` says.
    func syncLog() throws {
        let log = DatabaseFile.side("-wal", of: path)
        guard FileAccess.exists(log) else { return }
        let file = try translatingErrno("open", log) {
            try FileDescriptor.open(log, .readOnly, options: [.noFollow, .closeOnExec])
        }
        // SQLite holds no locks on the log, which closing a descriptor of it would drop.
        defer { try? file.close() }
        try AtomicFile.sync(file, log)
    }
}
