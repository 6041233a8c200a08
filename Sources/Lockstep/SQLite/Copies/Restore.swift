public import SystemPackage

/// Puts a backup in the place of a database, or at a free path.
///
/// The backup is verified and copied first; then the copy takes the database's name in one step. If anything fails, the
/// old database is unchanged.
///
/// The keyrings of datasets may know a newer state of the database than the backup's. They refuse it then and say that
/// it was restored, until ``KeyringFile/accept(_:sealedIn:)`` accepts it.
public struct Restore: Sendable {
    /// The path of the database, which can be damaged or missing.
    public let database: FilePath
    /// The backup, which is only read.
    public let backup: FilePath

    /// A restore of `database` from `backup`. Nothing runs yet.
    public init(_ database: FilePath, from backup: FilePath) {
        self.database = database
        self.backup = backup
    }

    /// Runs the restore. Blocks.
    /// - Parameters:
    ///   - key: The key of the database, before and after.
    ///   - backupKey: The backup's key.
    ///   - progress: Called with the number of copied pages.
    /// - Throws: ``LockstepError/Code/busy`` if the database is open anywhere;
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged`` if the backup does not verify;
    ///   `CancellationError`; any error from `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        key: borrowing DatabaseKey, backupKey: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try run(key: key, backupKey: backupKey, placing: { _, rename in try rename() }, progress: progress)
    }

    /// The same, with a step around the moment in which the copy gets its name.
    /// - Parameter placing: Called with the finished file, and with what gives it its name.
    func run(
        key: borrowing DatabaseKey, backupKey: borrowing DatabaseKey,
        placing: (FilePath, () throws -> Void) throws -> Void, progress: JobProgress.Handler
    ) throws -> CopyReport {
        let time = JobTime()
        // The existing database and the backup's own record can be older than the keyring.
        let key = try key.withoutOrigin()
        var reading = ConnectionOptions()
        reading.isQueryOnly = true
        reading.closesFullText = true
        try PageAudit(backup).requireClean(backupKey)
        let source = try Connection.open(backup, key: backupKey, options: reading)
        let pending = try PendingDatabase(for: database)
        var report = try source.read { source in
            try PageCopy.copy(
                source, to: pending.path, as: .original, key, schema: reading
            ) {
                try $0.report(to: progress)
            }
        }
        try FileRole.noteRestore(of: pending.path, key)
        if FileAccess.exists(database) {
            // Before its log is touched: a restore that is refused changes nothing.
            try DatabaseFile(database, writable: true).whileExclusive {}
            try DatabaseFile.requireUnused(database)
            try emptyLog(key)
            try placing(pending.path) { try pending.replace() }
        } else {
            try placing(pending.path) { try pending.place() }
        }
        report.time = time.ended()
        return report
    }

    /// Checkpoints the log of the database that is about to be replaced, if it opens at all and its log is sound: a
    /// kill before the new file is in place then leaves the old database whole without a log.
    private func emptyLog(_ key: borrowing DatabaseKey) throws {
        guard case .keyFits = try Diagnosis.examine(database, key: key) else { return }
        var options = ConnectionOptions()
        options.damagedLog = .refuse
        do {
            try Connection.open(database, key: key, options: options).checkpoint(.truncate)
        } catch let error as LockstepError where error.code == .damaged {
            // The damage is the reason for the replacement.
        }
    }
}
