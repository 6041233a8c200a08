internal import SystemPackage

/// The key of a database and its backups, for procedures that open them more than once.
struct DeploymentKey: ~Copyable {
    let key: DatabaseKey
    /// The first bytes of files that were made under this key, or under another key of its keyring.
    let salts: Set<[UInt8]>

    init(_ access: borrowing DatabaseAccess, for path: FilePath) throws {
        let salts = try access.knownSalts()
        key = try access.databaseKey(for: path)
        self.salts = salts
    }
}
