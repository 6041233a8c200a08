public import SystemPackage

extension Keyring {
    /// The key of the database at `path`: the active key, the pending one if a rotation was interrupted after the file
    /// was replaced, or an older one under which the keyring records a database: rotations change one database each.
    ///
    /// The file is not decrypted: its first 16 bytes determine the key that it was made with. If they match none of the
    /// keyring's keys, or if the file does not exist, the active key is returned, and opening reports the error. It
    /// takes a few microseconds per key and writes nothing.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` for a file with a retired or compromised key under which the
    ///   keyring records no database: an old copy has replaced the database, possibly by someone who knows that key.
    ///   Opening refuses the old copy of one database with the key of another.
    ///   ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    public borrowing func databaseKey(for path: FilePath) throws -> DatabaseKey {
        let entry = try standingKey(of: path)
        var key = try databaseKey(version: entry.version)
        key.origin = try origin(entry)
        return key
    }

    /// The key of a newly created or restored database: opening does not compare the keyring that the database records.
    package borrowing func keyOfNew(_ path: FilePath) throws -> DatabaseKey {
        try databaseKey(for: path).withoutOrigin()
    }

    /// The key of a backup at `path`: any key of the keyring, including retired and compromised ones.
    ///
    /// Like ``databaseKey(for:)``, it uses the first 16 bytes, and the active key if they match no key. Anyone who
    /// knows a compromised key could have made the backup.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    public borrowing func databaseKey(ofBackup path: FilePath) throws -> DatabaseKey {
        try databaseKey(version: keyEntry(of: path).version)
    }

    /// The entry of the key of the database at `path`, which must be in use.
    borrowing func standingKey(of path: FilePath) throws -> KeyringDocument.KeyEntry {
        let entry = try keyEntry(of: path)
        let isRecorded = document.files.contains { $0.keyVersion == entry.version }
        guard entry.isClosed, !isRecorded else { return entry }
        throw IdentityCheck.oldCopy(path, entry.version, entry.closing)
    }

    /// The entry of the key of the file at `path`, in any state.
    borrowing func keyEntry(of path: FilePath) throws -> KeyringDocument.KeyEntry {
        let active = try activeDatabaseKeyEntry()
        guard FileAccess.exists(path) else { return active }
        let head = try DatabaseFile(path).read(at: 0, DatabaseKey.saltLength)
        return try databaseKey(makingSalt: head) ?? active
    }
}
