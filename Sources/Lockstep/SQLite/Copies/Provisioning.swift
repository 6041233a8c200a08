public import SystemPackage

extension Store {
    /// Makes a database from a template: a copy under its own key, verified like a backup, at a path where
    /// nothing exists. A program does this at its first run with the database that it ships with.
    /// - Parameters:
    ///   - path: The new database's path.
    ///   - key: Its key.
    ///   - template: An encrypted Lockstep database, which is only read and can lie in a read-only folder.
    ///   - templateKey: The template's key.
    ///   - options: How both are opened: the functions and collations that the schema needs.
    ///   - progress: Called with the number of copied pages. An error that it throws ends the copy.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at `path`: it is never overwritten;
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged`` if the template does not verify;
    ///   ``LockstepError/Code/full``.
    @discardableResult
    public static func provision(
        _ path: FilePath, key: borrowing DatabaseKey, from template: FilePath,
        templateKey: borrowing DatabaseKey, options: ConnectionOptions = .init(),
        progress: (CopyProgress) throws -> Void = { _ in }
    ) throws -> CopyReport {
        try PendingDatabase.requireFree(path)
        try Backup.requireSound(template, templateKey)
        var reading = options.ofSchema
        reading.isQueryOnly = true
        let source = try Connection.open(template, key: templateKey, options: reading)
        return try source.read { source in
            try Backup.run(source, to: path, key, schema: options, progress)
        }
    }
}
