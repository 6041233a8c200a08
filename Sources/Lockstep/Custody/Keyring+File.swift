public import SystemPackage

extension Keyring {
    /// The key of the database at `path`: the active key, the pending one if a rotation was interrupted after the file
    /// was replaced, or an older one under which the keyring records a database: rotations change one database each.
    ///
    /// The file is not decrypted. Its first 16 bytes are what the keyring records of it; a file of which it does not is
    /// found by the MAC of a page, under the key of each database that the keyring records. If no key fits, that of the
    /// database which was last seen at the path is returned, and opening reports the error; if the file does not exist,
    /// the active key of files that are not recorded. It takes a few microseconds, or 15 for each key that is tried, and
    /// writes nothing.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` for a file with a retired or compromised key under which the
    ///   keyring records no database: an old copy has replaced the database, possibly by someone who knows that key.
    ///   Opening refuses the old copy of one database with the key of another.
    ///   ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    public borrowing func databaseKey(for path: FilePath) throws -> DatabaseKey {
        try openingKey(standingKey(of: path))
    }

    /// The key of a newly created or restored database: opening does not compare the keyring that the database records.
    package borrowing func keyOfNew(_ path: FilePath) throws -> DatabaseKey {
        try databaseKey(for: path).withoutOrigin()
    }

    /// The key of a backup at `path`: any key of the keyring, including retired and compromised ones.
    ///
    /// A backup has the key of its database. It is found as by ``databaseKey(for:)``. Anyone who knows a compromised key
    /// could have made the backup.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    public borrowing func databaseKey(ofBackup path: FilePath) throws -> DatabaseKey {
        try databaseKey(keyEntry(of: path))
    }

    /// The key of the database at `path`, which must be in use.
    borrowing func standingKey(of path: FilePath) throws -> FileKey {
        let key = try keyEntry(of: path)
        let isRecorded = document.files.contains { $0.keyVersion == key.version }
        guard key.entry.isClosed, !isRecorded else { return key }
        throw IdentityCheck.oldCopy(path, key.version, key.entry.closing)
    }

    /// The key of the file at `path`, in any state.
    borrowing func keyEntry(of path: FilePath) throws -> FileKey {
        let active = try activeDatabaseKeyEntry()
        guard FileAccess.exists(path) else { return FileKey(entry: active) }
        if let found = try KeySearch.key(of: path, self) { return found }
        // Nothing of it verifies: what it should be says best what is wrong.
        guard let record = try record(at: path), let salt = record.salt, let entry = usableEntry(record.keyVersion)
        else { return FileKey(entry: active) }
        return FileKey(entry: entry, file: record.database, salt: salt)
    }
}
