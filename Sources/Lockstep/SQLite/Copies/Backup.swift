public import SystemPackage

/// Copies a database to a new encrypted file while writes continue, and verifies the copy: every page's MAC, the
/// integrity of its b-trees, the rows of every table.
///
/// The copy holds one snapshot, which keeps the write-ahead log from restarting meanwhile. The file is readable by the
/// owner only and appears complete or not at all. It has the database's identity and records that it is a copy.
///
/// If the keys are from a keyring's file, no key of it can be destroyed meanwhile.
public struct Backup: Sendable {
    /// The copy's path.
    public let path: FilePath

    /// A backup to `path`, where nothing must exist. Nothing runs yet.
    public init(to path: FilePath) { self.path = path }

    /// Copies a store's database. Blocks.
    /// - Parameters:
    ///   - store: The store to copy.
    ///   - key: The copy's key. The copy gets a salt of its own, so that no page of one file is valid in the other.
    ///   - progress: Called with the number of copied pages.
    /// - Throws: ``LockstepError/Code/alreadyExists``, ``LockstepError/Code/full``, ``LockstepError/Code/damaged`` if
    ///   the original is; ``LockstepError/Code/locked`` if somebody is destroying a key for longer than
    ///   ``FileLockWait`` allows; `CancellationError`; any error from `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        on store: Store, key: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        let time = JobTime()
        var report = try key.whileUsed {
            try store.namingDamage {
                try store.snapshot(for: "backup") { connection in
                    try PageCopy.run(
                        connection, to: path, as: .copy, key.forCopy(),
                        schema: store.source.options.connection
                    ) { try $0.report(to: progress) }
                }
            }
        }
        report.time = time.ended()
        return report
    }

    /// The same under the store's own key.
    /// - Throws: The same as under another key.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        on store: Store, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try store.source.withKey { key in try run(on: store, key: key, progress: progress) }
    }
}

extension Store {
    /// Short for `Backup(to: path).run(on: store, key: key)`, on a separate thread; see ``Backup``.
    /// - Throws: The errors of that job.
    @concurrent
    @discardableResult
    public func backup(
        to path: FilePath, key: borrowing DatabaseKey, progress: @Sendable (JobProgress) throws -> Void = { _ in }
    ) async throws -> CopyReport {
        try await JobThread.run { try Backup(to: path).run(on: self, key: key, progress: progress) }
    }

    /// Short for `Backup(to: path).run(on: store)`, on a separate thread; see ``Backup``.
    /// - Throws: The errors of that job.
    @concurrent
    @discardableResult
    public func backup(
        to path: FilePath, progress: @Sendable (JobProgress) throws -> Void = { _ in }
    ) async throws -> CopyReport {
        try await JobThread.run { try Backup(to: path).run(on: self, progress: progress) }
    }

    /// Runs `body`. If a damaged page makes it fail, names the damaged pages of the database.
    func namingDamage<Result>(_ body: () throws -> Result) throws -> Result {
        guard !source.isInMemory else { return try body() }
        return try source.withKey { key in try PageAudit(source.path).namingDamage(key, body) }
    }
}

extension Store.Blocking {
    /// Short for `Backup(to: path).run(on: store, key: key)`, on this thread; see ``Backup``.
    /// - Throws: The errors of that job.
    @available(*, noasync, message: "this blocks the thread: use `try await store.backup`")
    @discardableResult
    public func backup(
        to path: FilePath, key: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try Backup(to: path).run(on: store, key: key, progress: progress)
    }

    /// Short for `Backup(to: path).run(on: store)`, on this thread; see ``Backup``.
    /// - Throws: The errors of that job.
    @available(*, noasync, message: "this blocks the thread: use `try await store.backup`")
    @discardableResult
    public func backup(
        to path: FilePath, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try Backup(to: path).run(on: store, progress: progress)
    }
}
