extension Provisioning {
    /// Makes the database. Blocks.
    ///
    /// With a keyring, the new database gets the keyring's active key: the key that is active when it gets its name.
    /// The keyring records the database.
    /// - Parameters:
    ///   - access: Opens the new database; afterwards with the newest version of the keyring.
    ///   - templateAccess: Opens the template.
    ///   - progress: Called with the number of copied pages, again from the start if the key has changed.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at the path: it is never overwritten;
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged`` if the template does not verify;
    ///   ``LockstepError/Code/misuse`` if it has cells and the database would share them, or if it is to share them and
    ///   an earlier build wrote its registry;
    ///   ``LockstepError/Code/keyUnavailable`` without the keys of a dataset that has sealed columns in it;
    ///   ``LockstepError/Code/registryForged``; ``LockstepError/Code/full``;
    ///   ``LockstepError/Code/busy`` if the keyring's active key changes again and again;
    ///   ``LockstepError/Code/locked`` if somebody is destroying a key for longer than ``FileLockWait`` allows;
    ///   `CancellationError`; any error from `progress`. Then nothing is placed.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        _ access: inout DatabaseAccess, template templateAccess: borrowing DatabaseAccess,
        progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        let templateKey = try templateAccess.databaseKey(for: template)
        guard access.hasKeyring else {
            return try run(key: access.newKey(), templateKey: templateKey, progress: progress)
        }
        return try access.change(for: "making a database from a template") { keyring, file in
            try run(&keyring, in: file, templateKey: templateKey, progress: progress)
        }
    }
}
