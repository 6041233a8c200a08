public import SystemPackage

/// Makes a database from a template: a copy under its own key, verified like a backup, at a path where nothing exists.
/// A program does this at its first run with the database that it ships with.
public struct Provisioning: Sendable {
    /// The path of the new database.
    public let path: FilePath
    /// An encrypted Lockstep database, which is only read and can lie in a read-only folder.
    public let template: FilePath
    /// Connection options, used only for the functions and collations that the schema needs.
    public var options: ConnectionOptions

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
    ///   ``LockstepError/Code/full``; `CancellationError`; any error from `progress`.
    @discardableResult
    public func run(
        key: borrowing DatabaseKey, templateKey: borrowing DatabaseKey,
        progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        let time = JobTime()
        try PendingDatabase.requireFree(path)
        try PageAudit(template).requireClean(templateKey)
        var reading = options.ofSchema
        reading.isQueryOnly = true
        let source = try Connection.open(template, key: templateKey, options: reading)
        var report = try source.read { source in
            try PageCopy.run(source, to: path, as: .original, key, schema: options) {
                try $0.report(to: progress)
            }
        }
        report.time = time.ended()
        return report
    }
}
