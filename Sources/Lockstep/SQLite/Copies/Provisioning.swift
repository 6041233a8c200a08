public import SystemPackage

extension Store {
    /// Makes a database of a template: a copy under a key of its own, verified as a backup is, at a path where
    /// nothing stands. What a program does at its first run with the database that it is shipped with.
    /// - Parameters:
    ///   - template: An encrypted database of Lockstep's, which is only read and may lie in a folder that nobody can
    ///     write to.
    ///   - templateKey: The template's key.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything stands at `path`: it is never written over;
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
