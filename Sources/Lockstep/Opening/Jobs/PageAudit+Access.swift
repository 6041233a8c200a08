extension PageAudit {
    /// Reads every page once, on as many threads as there are processors; each takes 1 MiB of memory. Nothing
    /// is written, and SQLite is not involved. Blocks.
    ///
    /// A database in use can be read in the middle of a write: a page that fails is read again, and counts only
    /// if it fails three times.
    /// - Parameters:
    ///   - access: Opens the file: the database, or a backup of it.
    ///   - progress: Called with the number of finished pages.
    /// - Throws: ``LockstepError/Code/notFound``, ``LockstepError/Code/notAFile``, ``LockstepError/Code/inputOutput``
    ///   if the file cannot be read; ``LockstepError/Code/busy`` if the log changes faster than it can be read;
    ///   `CancellationError`; any error from `progress`. Damaged pages are in the report.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    public func run(
        _ access: borrowing DatabaseAccess, progress: JobProgress.Handler = { _ in }
    ) throws -> PageAuditReport {
        try run(key: access.databaseKey(ofBackup: path), progress: progress)
    }
}
