extension Restore {
    /// Runs the restore. Blocks.
    ///
    /// With a keyring, the database gets the keyring's active key: the key that is active when the database gets its
    /// name. The backup can be under any key of the keyring. No key of it can be destroyed meanwhile, and nobody else
    /// can replace the database. With a key alone, both files are under this key.
    ///
    /// Where the keyring has seen another database, the restored file becomes that one. Elsewhere, beside its database,
    /// which still lies where the keyring saw it, it becomes one of its own, as by a ``Fork``.
    /// - Parameters:
    ///   - access: Opens the database; afterwards with the newest version of the keyring.
    ///   - progress: Called with the number of copied pages, again from the start if the key has changed.
    /// - Throws: ``LockstepError/Code/busy`` if the database is open anywhere, and if the keyring's active key changes
    ///   again and again; ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged`` if the backup does not
    ///   verify; ``LockstepError/Code/locked`` if another job holds the database or the keyring for longer than
    ///   ``FileLockWait`` allows; `CancellationError`; any error from `progress`. Then nothing is placed.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        _ access: inout DatabaseAccess, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        guard access.hasKeyring else {
            return try run(key: access.newKey(), backupKey: access.databaseKey(ofBackup: backup), progress: progress)
        }
        return try access.change(for: "a restore") { keyring, file in
            try run(&keyring, in: file, progress: progress)
        }
    }

    /// Runs the restore of a backup that has an access of its own: it was made under another key, or belongs to another
    /// keyring. Blocks.
    /// - Parameters:
    ///   - access: Opens the database; afterwards with the newest version of the keyring.
    ///   - backupAccess: Opens the backup.
    ///   - progress: Called with the number of copied pages, again from the start if the key has changed.
    /// - Throws: as with one access.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        _ access: inout DatabaseAccess, backup backupAccess: borrowing DatabaseAccess,
        progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        guard access.hasKeyring else {
            return try run(
                key: access.newKey(), backupKey: backupAccess.databaseKey(ofBackup: backup), progress: progress)
        }
        let backupKey: DatabaseKey? = try backupAccess.databaseKey(ofBackup: backup)
        return try access.change(for: "a restore") { keyring, file in
            try run(&keyring, in: file, backupKey: backupKey, progress: progress) { _, _ in }
        }
    }

    /// Checks that every cell of the backup opens with the keys of a dataset: that none is under a field key that was
    /// destroyed since the backup was made. The restored database could not be read.
    ///
    /// Costs nothing as long as no field key was destroyed, and otherwise a look at the first bytes of each cell.
    /// - Parameters:
    ///   - keys: The dataset's keys.
    ///   - access: Opens the backup.
    /// - Throws: ``LockstepError/Code/keyUnavailable``, with the columns; the errors of opening the backup.
    public func requireReadable(_ keys: FieldKeys, _ access: borrowing DatabaseAccess) throws {
        try requireReadable(keys, backupKey: access.databaseKey(ofBackup: backup))
    }
}
