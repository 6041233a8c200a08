internal import CSQLCipher
internal import SystemPackage

/// How hard a checkpoint tries to bring the write-ahead log into the database file.
public enum CheckpointMode: Sendable {
    /// Copies what it can without waiting for readers or writers.
    case passive
    /// Waits for the writer and for readers of old snapshots, up to the busy timeout, so that all of it
    /// is copied.
    case full
    /// As `full`, and empties the log's file.
    case truncate

    fileprivate var code: Int32 {
        switch self {
        case .passive: SQLITE_CHECKPOINT_PASSIVE
        case .full: SQLITE_CHECKPOINT_FULL
        case .truncate: SQLITE_CHECKPOINT_TRUNCATE
        }
    }
}

/// What a checkpoint has come to.
public struct CheckpointResult: Sendable, Hashable {
    /// Pages in the log.
    public let pagesInLog: Int
    /// How many of them are in the database file now.
    public let pagesCopied: Int

    /// Whether nothing is left in the log that the file lacks.
    public var isComplete: Bool { pagesCopied == pagesInLog }
}

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
