public import SystemPackage

extension Store {
    /// Creates a database that its keyring records.
    ///
    /// The keyring's file records the database before it is made, and that it was made afterwards. A program that is
    /// killed in between calls it again.
    /// - Parameters:
    ///   - path: Where the database is created.
    ///   - keyring: The keyring as opened from `file`; afterwards the newest version.
    ///   - file: The keyring's file.
    ///   - options: How the store works.
    /// - Throws: as ``create(_:rawKey:options:)``, then the keyring can record a database that was never made, which
    ///   the next call for that path makes; ``LockstepError/Code/keyringConflict`` for a signed or full keyring;
    ///   ``LockstepError/Code/keyringChanged`` for one whose ring was changed in the meantime;
    ///   ``LockstepError/Code/keyringMismatch`` for one of another purpose; any error of writing its file.
    public static func create(
        _ path: FilePath, keyring: inout Keyring, in file: KeyringFile, options: StoreOptions = .init()
    ) throws -> Store {
        try PendingDatabase.requireFree(path)
        let key = try file.list(newDatabase: path, &keyring)
        let store = try create(path, rawKey: key, options: options)
        try keyring.bind(Connection.open(path, key: keyring.keyOfNew(path)), in: file)
        return store
    }

    /// Opens the database at `path` with the key that its keyring has for it, also after an interrupted rotation.
    ///
    /// With ``StoreOptions/Copies/fork``, a copy of a database becomes a database of its own first.
    ///
    /// Someone can change the keyring and the database after the program has read the keyring. Then its file is read
    /// again before the keyring is called outdated; that takes no passphrase.
    /// - Parameters:
    ///   - path: The database.
    ///   - keyring: The keyring as opened from its file; afterwards the newest version.
    ///   - file: The keyring's file; nil for the one that it was opened from.
    ///   - options: How the store works.
    /// - Throws: as ``open(_:rawKey:options:)`` and ``Keyring/databaseKey(for:)``.
    public static func open(
        _ path: FilePath, keyring: inout Keyring, in file: KeyringFile? = nil, options: StoreOptions = .init()
    ) throws -> Store {
        guard let file = file ?? keyring.file else {
            return try Store.open(path, rawKey: keyring.databaseKey(for: path), options: options)
        }
        func open(_ keyring: inout Keyring, _ options: StoreOptions) throws -> Store {
            try file.readingAgain(&keyring) { keyring in
                try Store.open(path, rawKey: keyring.databaseKey(for: path), options: options)
            }
        }
        let store = try open(&keyring, options)
        guard options.copies == .fork, store.isCopy else { return store }
        // The fork wants the file for itself.
        try store.blocking.close()
        var fork = Fork(of: path, keyring: file)
        fork.options = options.connection
        try fork.run(&keyring)
        // The copy has proven what it was.
        var forked = options
        if !options.connection.fieldKeys.isEmpty { forked.connection.firstTime = true }
        return try open(&keyring, forked)
    }
}
