public import SystemPackage

extension Store {
    /// Makes a database from a template: a copy under its own key, verified like a backup, at a path where
    /// nothing exists. A program does this at its first run with the database that it ships with.
    /// - Parameters:
    ///   - template: An encrypted Lockstep database, which is only read and can lie in a read-only folder.
    ///   - templateKey: The template's key.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at `path`: it is never overwritten;
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged`` if the template does not verify;
    ///   ``LockstepError/Code/full``.
    @discardableResult
    public static func provision(
        _ path: FilePath, key: borrowing DatabaseKey, from template: FilePath,
        templateKey: borrowing DatabaseKey, options: ConnectionOptions = .init(),
        progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try PendingDatabase.requireFree(path)
        try PageAudit(template).requireClean(templateKey)
        var reading = options.ofSchema
        reading.isQueryOnly = true
        let source = try Connection.open(template, key: templateKey, options: reading)
        return try source.read { source in
            try PageCopy.run(source, to: path, key, schema: options, progress)
        }
    }
}
