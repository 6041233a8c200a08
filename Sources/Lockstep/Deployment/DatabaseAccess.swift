public import SystemPackage

/// The key of a database and its backups, for procedures that open them more than once.
public struct DatabaseAccess: ~Copyable {
    let key: DatabaseKey
    /// The first bytes of files that were made under this key, or under another key of its keyring.
    let salts: Set<[UInt8]>

    /// Opens a database under this key.
    package borrowing func open(
        _ path: FilePath, _ options: ConnectionOptions
    ) throws -> Connection {
        try Connection.open(path, key: key, options: options)
    }

    /// Access by a key alone. Backups from before the last key rotation are not recognised as the database's.
    public init(key: consuming DatabaseKey) {
        salts = [key.salt]
        self.key = key
    }

    /// Access by the keyring of the database at `path`, even after an interrupted rotation.
    /// - Throws: The same as ``Keyring/databaseKey(for:)``.
    public init(_ keyring: borrowing Keyring, for path: FilePath) throws {
        let key = try keyring.databaseKey(for: path)
        var salts: Set<[UInt8]> = [key.salt]
        for entry in keyring.summary.keys where entry.kind == .database && entry.state != .destroyed
        {
            let salt = try keyring.databaseKey(version: entry.version).salt
            salts.insert(salt)
        }
        self.salts = salts
        self.key = key
    }
}
