internal import SystemPackage

extension Restore {
    /// Restores the database under its keyring's active key: the key that is active when the database gets its name.
    /// The backup can be under any key of the keyring. Blocks.
    ///
    /// No key of the keyring can be destroyed meanwhile, and nobody else can replace the database.
    ///
    /// Where the keyring has seen another database, the restored file becomes that one. Elsewhere, beside its database,
    /// which still lies where the keyring saw it, it becomes one of its own, as by a ``Fork``.
    /// - Parameters:
    ///   - keyring: The keyring as opened from `file`; afterwards the newest version.
    ///   - file: The keyring's file.
    ///   - progress: Called with the number of copied pages, again from the start if the key has changed.
    /// - Throws: as ``run(key:backupKey:progress:)``; ``LockstepError/Code/locked`` if another job holds the database
    ///   or the keyring for longer than ``FileLockWait`` allows; ``LockstepError/Code/busy`` if the keyring's active
    ///   key changes again and again. Then nothing is placed.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        _ keyring: inout Keyring, in file: KeyringFile,
        progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try run(&keyring, in: file, progress: progress) { _, _ in }
    }

    /// The same, and what belongs to it afterwards, before another job that replaces the database can begin.
    /// - Parameters:
    ///   - backupKey: The backup's key; nil for one of the keyring.
    ///   - finish: Gets the newest version of the keyring, and what became of a backup of another database.
    package func run(
        _ keyring: inout Keyring, in file: KeyringFile, backupKey: borrowing DatabaseKey? = nil,
        progress: JobProgress.Handler, finish: (inout Keyring, Fork.Report?) throws -> Void
    ) throws -> CopyReport {
        let backupKey = try backupKey?.clone()
        let use = try UseLock(file.path)
        let lock = try CustodyLock(database)
        defer {
            _ = use
            _ = lock
        }
        try file.reread(&keyring)
        let placing = Placing(keyringFile: file, database: database, isBackup: true)
        func key(_ keyring: borrowing Keyring) throws -> DatabaseKey {
            if let key = try backupKey?.clone() { return key }
            return try keyring.databaseKey(ofBackup: backup)
        }
        // The restore itself says what is wrong with a backup.
        let origin = try? IdentityCheck.content(of: backup, key(keyring)).database
        let (report, fork) = try placing.run(&keyring, as: .backup(of: origin)) { keyring, new, place in
            try run(key: new, backupKey: key(keyring), placing: place, progress: progress)
        }
        try finish(&keyring, fork)
        return report
    }
}

extension Adoption {
    /// Adopts a database under a keyring's active key: the key that is active when the new database gets its name.
    /// Blocks.
    ///
    /// No key of the keyring can be destroyed meanwhile.
    /// - Parameters:
    ///   - keyring: The keyring as opened from `file`; afterwards the newest version.
    ///   - file: The keyring's file.
    ///   - passphrase: That of a SQLCipher database; nil for a plaintext one.
    ///   - progress: Called with the number of copied rows, again from the start if the key has changed.
    /// - Throws: as the other forms; ``LockstepError/Code/locked`` if someone holds the keyring for longer than
    ///   ``FileLockWait`` allows; ``LockstepError/Code/busy`` if the keyring's active key changes again and again;
    ///   ``LockstepError/Code/twoFiles`` for an export of a database that the keyring records elsewhere. Then nothing
    ///   is placed.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        _ keyring: inout Keyring, in file: KeyringFile, passphrase: borrowing Passphrase? = nil,
        progress: JobProgress.Handler = { _ in }
    ) throws -> AdoptionReport {
        guard let passphrase = try passphrase?.clone() else {
            return try place(&keyring, in: file, nil, progress)
        }
        return try place(&keyring, in: file, ForeignKey(passphrase), progress)
    }

    /// The same for a SQLCipher database under a raw key.
    /// - Throws: as under a passphrase.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        _ keyring: inout Keyring, in file: KeyringFile, rawKey: borrowing RawKey,
        progress: JobProgress.Handler = { _ in }
    ) throws -> AdoptionReport {
        try place(&keyring, in: file, ForeignKey(rawKey), progress)
    }

    private func place(
        _ keyring: inout Keyring, in file: KeyringFile, _ foreign: ForeignKey?, _ progress: JobProgress.Handler
    ) throws -> AdoptionReport {
        try file.whileUsed {
            try Placing(keyringFile: file, database: path).run(&keyring, as: .new) { _, key, place in
                guard let foreign else {
                    return try run(key: key, placing: place, progress: progress)
                }
                return try run(foreign, key: key, placing: place, progress: progress)
            }.result
        }
    }
}

extension Salvage {
    /// Salvages a database of a keyring, or a backup under any key of it, into a new one under the keyring's active key:
    /// the key that is active when the new database gets its name. Blocks.
    ///
    /// No key of the keyring can be destroyed meanwhile.
    /// - Parameters:
    ///   - keyring: The keyring as opened from `file`; afterwards the newest version.
    ///   - file: The keyring's file.
    ///   - progress: Called with the numbers of examined pages and of copied rows, and when a phase begins; again from
    ///     the start if the key has changed.
    /// - Throws: as ``run(key:newKey:progress:)``; ``LockstepError/Code/busy`` if the keyring's active key changes again
    ///   and again. Then nothing is placed.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        _ keyring: inout Keyring, in file: KeyringFile, progress: JobProgress.Handler = { _ in }
    ) throws -> SalvageReport {
        try file.whileUsed {
            try file.reread(&keyring)
            let placing = Placing(keyringFile: file, database: new)
            let own = try keyring.keyEntry(of: damaged).file
            return try placing.run(&keyring, as: .copy(of: own)) { keyring, new, place in
                try run(
                    key: keyring.databaseKey(ofBackup: damaged), newKey: new,
                    keyOfCopy: { copy in try keyring.keyEntry(ofFileAt: copy).map { try keyring.databaseKey($0) } },
                    strays: keyring.setAside(besides: damaged), placing: place, progress: progress)
            }.result
        }
    }
}
