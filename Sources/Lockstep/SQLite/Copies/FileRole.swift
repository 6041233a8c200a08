internal import SystemPackage

/// Whether a file is a database itself or a copy of one. Both have the same identity, so the file records it.
///
/// A copy can be read, verified, restored, salvaged and exported like its database. It does not stand in for it: what
/// is known of the database, such as its path and the version of its key, is not corrected by what a copy is.
package enum FileRole: Int64, Sendable {
    /// What creation, adoption, a rotation, a restore and provisioning make.
    case original = 1
    /// What a backup makes, also that of a safe migration, and a salvage; and the copies on which migrations are tried.
    case copy = 2

    /// Makes a file that is not in use yet record the role, with the engine's rights. A file without an identity
    /// records none.
    func record(in connection: borrowing Connection) throws {
        try (self as any FileRoleRecord).write(to: connection)
    }

    /// Makes a finished, closed file record that it was restored now, so that a keyring that knows a newer state can
    /// name the reason.
    static func noteRestore(of path: FilePath, _ key: borrowing DatabaseKey) throws {
        var writing = ConnectionOptions()
        writing.isScratch = true
        writing.closesFullText = true
        let connection = try Connection.open(path, key: key.withoutOrigin(), options: writing)
        try (FileRole.original as any FileRoleRecord).noteRestore(
            at: Clock.microsecondsSinceEpoch / 1_000_000, in: connection)
    }
}

/// What a file records of its role. The layer that keeps the record, above this one, says how ``FileRole`` does it.
protocol FileRoleRecord {
    /// Called with any rights, within a transaction or without.
    func write(to connection: borrowing Connection) throws

    /// The same for the time at which a file was restored, in seconds since 1970.
    func noteRestore(at seconds: Int64, in connection: borrowing Connection) throws
}
