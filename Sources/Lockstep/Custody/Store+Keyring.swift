public import SystemPackage

extension Store {
    /// Opens the database at `path` with the key that its keyring has for it.
    ///
    /// Someone can change the keyring and the database after the program has read the keyring. Then its file is read
    /// again before the keyring is called outdated; that takes no passphrase.
    /// - Parameters:
    ///   - path: The database.
    ///   - keyring: The keyring as opened from `file`; afterwards the newest version.
    ///   - file: The keyring's file.
    ///   - options: How the store works.
    /// - Throws: as ``open(_:key:options:)`` and ``Keyring/databaseKey(for:)``.
    public static func open(
        _ path: FilePath, keyring: inout Keyring, in file: KeyringFile,
        options: StoreOptions = .init()
    ) throws -> Store {
        try file.readingAgain(&keyring) { keyring in
            try open(path, key: keyring.databaseKey(for: path), options: options)
        }
    }
}
