public import SystemPackage

extension Keyring {
    /// The key of the database at `path`: the active one, or the pending one if a rotation was interrupted
    /// after the file had been replaced; nothing else.
    ///
    /// Nothing is tried: the first 16 bytes of a file tell under which key it was made. Where they are none
    /// of this keyring's, or there is no file, it is the active key, and opening tells what is wrong.
    /// Costs some microseconds a key, and nothing is written.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` for a file under a retired or compromised key: an
    ///   old copy was put in the database's place, maybe by someone who knows that key.
    ///   ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    public borrowing func databaseKey(for path: FilePath) throws -> DatabaseKey {
        let entry = try standingKey(of: path)
        var key = try databaseKey(version: entry.version)
        key.origin = origin(entry)
        return key
    }

    /// The key of a database that was made or put back just now: opening it does not compare what it remembers.
    package borrowing func keyOfNew(_ path: FilePath) throws -> DatabaseKey {
        try databaseKey(for: path).withoutOrigin()
    }

    /// The key of a backup at `path`: any that the keyring holds, the retired and compromised ones included.
    ///
    /// As ``databaseKey(for:)`` it goes by the first 16 bytes, and by the active key where they tell nothing.
    /// Whoever knows a compromised key can have made the backup.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    public borrowing func databaseKey(ofBackup path: FilePath) throws -> DatabaseKey {
        try databaseKey(version: keyEntry(of: path).version)
    }

    /// The entry of the key that the database at `path` is under.
    borrowing func standingKey(of path: FilePath) throws -> KeyringDocument.KeyEntry {
        let entry = try keyEntry(of: path)
        switch entry.state {
        case .active, .pending: return entry
        case .retired, .compromised, .destroyed:
            throw LockstepError(
                .keyUnavailable,
                "\(path) is under database key \(entry.version), "
                    + "which was marked \(entry.state.rawValue) on \(entry.day): it is an old copy",
                hint: "if you trust it, move it away and put it back with `lockstep restore`")
        }
    }

    /// The entry of the key that the file at `path` is under, in whatever state it is.
    borrowing func keyEntry(of path: FilePath) throws -> KeyringDocument.KeyEntry {
        let active = try activeDatabaseKey()
        guard FileAccess.exists(path) else { return active }
        let head = try DatabaseFile(path).read(at: 0, DatabaseKey.saltLength)
        return try databaseKey(makingSalt: head) ?? active
    }
}
