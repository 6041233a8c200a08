public import SystemPackage

/// Makes a database from a template: a copy under its own key, verified like a backup, at a path where nothing exists.
/// A program does this at its first run with the database that it ships with.
///
/// The new database has an identity of its own, if the template has one. Sealed columns of the template get identities
/// of their own in the new database, and so does their registry: what one of the databases seals opens in no other.
/// That takes the keys of their datasets, and columns that have no cells yet.
///
/// No key of a keyring's file from which one of these keys comes can be destroyed meanwhile.
public struct Provisioning: Sendable {
    /// The path of the new database.
    public let path: FilePath
    /// An encrypted Lockstep database, which is only read and can lie in a read-only folder.
    public let template: FilePath
    /// Connection options, used only for the functions and collations that the schema needs, and for their
    /// ``ConnectionOptions/fieldKeys``: those of the datasets with sealed columns.
    public var options: ConnectionOptions
    /// Whether the new database keeps the identities of the template's sealed columns, together with their cells. The
    /// cells of each database that is made from the template then open in all of them.
    public var sharesCells = false

    /// A new database at `path`, made from `template`. Nothing runs yet.
    public init(
        _ path: FilePath, from template: FilePath, options: ConnectionOptions = .init()
    ) {
        self.path = path
        self.template = template
        self.options = options
    }

    /// Makes the database. Blocks.
    /// - Parameters:
    ///   - key: The key of the new database.
    ///   - templateKey: The template's key.
    ///   - progress: Called with the number of copied pages.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at the path: it is never overwritten;
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged`` if the template does not verify;
    ///   ``LockstepError/Code/misuse`` if it has cells and the database would share them, or if it is to share them and
    ///   an earlier build wrote its registry;
    ///   ``LockstepError/Code/keyUnavailable`` without the keys of a dataset that has sealed columns in it;
    ///   ``LockstepError/Code/registryForged``;
    ///   ``LockstepError/Code/full``; ``LockstepError/Code/locked`` if somebody is destroying a key for longer than
    ///   ``FileLockWait`` allows; `CancellationError`; any error from `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        key: borrowing DatabaseKey, templateKey: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try run(key, templateKey, { _, rename in try rename() }, progress)
    }

    /// The same under a keyring's active key: the key that is active when the new database gets its name. The keyring
    /// records the database.
    /// - Parameters:
    ///   - keyring: The keyring as opened from `file`; afterwards the newest version.
    ///   - file: The keyring's file.
    ///   - templateKey: The template's key.
    ///   - progress: Called with the number of copied pages, again from the start if the key has changed.
    /// - Throws: as ``run(key:templateKey:progress:)``; ``LockstepError/Code/busy`` if the keyring's active key changes
    ///   again and again. Then nothing is placed.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        _ keyring: inout Keyring, in file: KeyringFile, templateKey: borrowing DatabaseKey,
        progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try file.whileUsed {
            try file.reread(&keyring)
            return try Placing(keyringFile: file, database: path).run(&keyring, as: .new) { _, key, place in
                try run(key, templateKey, place, progress)
            }.result
        }
    }

    private func run(
        _ key: borrowing DatabaseKey, _ templateKey: borrowing DatabaseKey,
        _ placing: (FilePath, () throws -> Void) throws -> Void, _ progress: JobProgress.Handler
    ) throws -> CopyReport {
        let time = JobTime()
        var report = try key.whileUsed {
            try templateKey.whileUsed {
                try options.fieldKeys.whileUsed { try make(key, templateKey, placing, progress) }
            }
        }
        report.time = time.ended()
        return report
    }

    private func make(
        _ key: borrowing DatabaseKey, _ templateKey: borrowing DatabaseKey,
        _ placing: (FilePath, () throws -> Void) throws -> Void, _ progress: JobProgress.Handler
    ) throws -> CopyReport {
        try PendingDatabase.requireFree(path)
        try PageAudit(template).requireClean(templateKey)
        var reading = options.ofSchema
        reading.isQueryOnly = true
        let source = try Connection.open(template, key: templateKey, options: reading)
        return try source.read { source in
            let registries = try NewRegistries(of: source, options.fieldKeys, sharesCells)
            let pending = try PendingDatabase(for: path)
            try PageCopy.copyPages(source, to: pending.path, as: .original, key) {
                try $0.report(to: progress)
            }
            let report = try PageCopy.verify(pending.path, key, schema: options, against: source)
            try registries.write(pending.path, key, options)
            try placing(pending.path) { try pending.place() }
            return report
        }
    }
}
