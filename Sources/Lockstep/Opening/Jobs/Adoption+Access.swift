extension Adoption {
    /// Adopts a plaintext SQLite database, in UTF-8 or UTF-16, of any page size, or one of SQLCipher 1, 2, 3 or 4 under
    /// a passphrase. To find the version of SQLCipher takes one key derivation for each, 0.3 to 2 s. Blocks.
    ///
    /// With a keyring, the new database gets the keyring's active key: the key that is active when it gets its name. No
    /// key of the keyring can be destroyed meanwhile.
    /// - Parameters:
    ///   - access: Opens the new database; afterwards with the newest version of the keyring.
    ///   - passphrase: That of a SQLCipher database; nil for a plaintext one.
    ///   - progress: Called with the number of copied rows, again from the start if the key has changed.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at the path;
    ///   ``LockstepError/Code/damaged`` or ``LockstepError/Code/truncated`` if the original is;
    ///   ``LockstepError/Code/malformedInput`` if it is not plaintext SQLite; with a passphrase
    ///   ``LockstepError/Code/wrongKey``, and ``LockstepError/Code/otherSettings`` if it fits with other ``settings``;
    ///   ``LockstepError/Code/locked`` if someone holds the keyring for longer than ``FileLockWait`` allows;
    ///   ``LockstepError/Code/busy`` if the keyring's active key changes again and again;
    ///   ``LockstepError/Code/twoFiles`` for an export of a database that the keyring records elsewhere;
    ///   `CancellationError`; any error from `progress`. Then nothing is placed.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        _ access: inout DatabaseAccess, passphrase: borrowing Passphrase? = nil,
        progress: JobProgress.Handler = { _ in }
    ) throws -> AdoptionReport {
        let passphrase = try passphrase?.clone()
        guard access.hasKeyring else {
            let key = try access.newKey()
            switch passphrase {
            case .some(let passphrase):
                return try run(passphrase: passphrase, key: key, progress: progress)
            case .none: return try run(key: key, progress: progress)
            }
        }
        return try access.change(for: "an adoption") { keyring, file in
            try run(&keyring, in: file, passphrase: passphrase, progress: progress)
        }
    }

    /// The same for a SQLCipher database under a raw key.
    /// - Throws: as under a passphrase.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        _ access: inout DatabaseAccess, rawKey: borrowing RawKey,
        progress: JobProgress.Handler = { _ in }
    ) throws -> AdoptionReport {
        guard access.hasKeyring else {
            return try run(rawKey: rawKey, key: access.newKey(), progress: progress)
        }
        let rawKey = try rawKey.clone()
        return try access.change(for: "an adoption") { keyring, file in
            try run(&keyring, in: file, rawKey: rawKey, progress: progress)
        }
    }
}
