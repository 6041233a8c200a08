extension Salvage {
    /// Salvages a database, or a backup under any key of the keyring. Blocks.
    ///
    /// With a keyring, the new database gets the keyring's active key: the key that is active when it gets its name. No
    /// key of the keyring can be destroyed meanwhile. With a key alone, both files are under this key.
    /// - Parameters:
    ///   - access: Opens the damaged file and the new database; afterwards with the newest version of the keyring.
    ///   - progress: Called with the numbers of examined pages and of copied rows, and when a phase begins; again from
    ///     the start if the key has changed.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at ``new``; ``LockstepError/Code/damaged`` if
    ///   no page verifies; ``LockstepError/Code/busy`` if the file was written to, and if the keyring's active key
    ///   changes again and again; ``LockstepError/Code/locked`` if somebody is destroying a key for longer than
    ///   ``FileLockWait`` allows; otherwise the errors that ``Diagnosis`` reports; `CancellationError`; any error from
    ///   `progress`. If it throws, it leaves no file.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    public func run(
        _ access: inout DatabaseAccess, progress: JobProgress.Handler = { _ in }
    ) throws -> SalvageReport {
        guard access.hasKeyring else {
            return try run(key: access.databaseKey(ofBackup: damaged), newKey: access.newKey(), progress: progress)
        }
        return try access.change(for: "a salvage") { keyring, file in
            try run(&keyring, in: file, progress: progress)
        }
    }

    /// The same for a database of SQLCipher 1, 2, 3 or 4 under a passphrase. Costs one key derivation, about 0.3 s, and
    /// for an older version up to four more. Version 1 has no MACs: what is garbled there is noticed only if it is no
    /// row.
    /// - Parameters:
    ///   - access: Opens the new database.
    ///   - passphrase: That of the damaged file.
    ///   - progress: Called with the numbers of examined pages and of copied rows, and when a phase begins.
    /// - Throws: The same as for a database of this library; ``LockstepError/Code/wrongKey``;
    ///   ``LockstepError/Code/otherSettings`` if the passphrase fits with other ``settings``.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`") public func run(
        _ access: borrowing DatabaseAccess, passphrase: borrowing Passphrase, progress: JobProgress.Handler = { _ in }
    ) throws -> SalvageReport {
        try run(passphrase: passphrase, newKey: access.newKey(), progress: progress)
    }

    /// The same for a database of SQLCipher under a raw key.
    /// - Throws: The same as with a passphrase.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`") public func run(
        _ access: borrowing DatabaseAccess, rawKey: borrowing RawKey, progress: JobProgress.Handler = { _ in }
    ) throws -> SalvageReport {
        try run(rawKey: rawKey, newKey: access.newKey(), progress: progress)
    }

    /// The same for a plaintext SQLite database. Its pages have no MACs: what is garbled there is noticed only if it is
    /// no row, or one that its table cannot have.
    /// - Throws: The same as for a database of this library; ``LockstepError/Code/malformedInput`` for a file that is
    ///   not plaintext SQLite.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    public func runPlaintext(
        _ access: borrowing DatabaseAccess, progress: JobProgress.Handler = { _ in }
    ) throws -> SalvageReport {
        try runPlaintext(newKey: access.newKey(), progress: progress)
    }
}
