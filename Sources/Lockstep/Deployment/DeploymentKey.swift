internal import SystemPackage

/// The key of a database and its backups, for procedures that open them more than once.
struct DeploymentKey: ~Copyable {
    let key: DatabaseKey
    /// The keys that its backups can have: this one, and those from before rotations.
    let known: [SharedSecret<DatabaseKey>]

    init(_ access: borrowing DatabaseAccess, for path: FilePath) throws {
        let known = try access.knownKeys(of: path)
        key = try access.databaseKey(for: path)
        self.known = known
    }
}
