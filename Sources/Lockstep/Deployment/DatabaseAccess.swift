public import SystemPackage

/// What opens a database, and what is known of its keyring: for procedures that open it more than once.
public struct DatabaseAccess: ~Copyable {
    let key: DatabaseKey
    /// What verification has to say of the keyring; nil without one.
    let keyring: KeyringSummary?
    /// How files begin that were made under this key, or another key of its keyring.
    let salts: Set<[UInt8]>

    /// Access by a key alone. The keyring is left out of verifications, and backups from before the last
    /// rotation of the key are not recognised as the database's.
    public init(key: consuming DatabaseKey) {
        salts = [key.salt]
        keyring = nil
        self.key = key
    }

    /// Access by the keyring of the database at `path`, also after an interrupted rotation.
    /// - Throws: as ``Keyring/databaseKey(for:)``.
    public init(_ keyring: borrowing Keyring, for path: FilePath) throws {
        let key = try keyring.databaseKey(for: path)
        let summary = keyring.summary
        var salts: Set<[UInt8]> = [key.salt]
        for entry in summary.keys where entry.kind == .database && entry.state != .destroyed {
            let salt = try keyring.databaseKey(version: entry.version).salt
            salts.insert(salt)
        }
        self.salts = salts
        self.keyring = summary
        self.key = key
    }
}
