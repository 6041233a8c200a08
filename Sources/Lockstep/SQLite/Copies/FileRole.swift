/// Whether a file is a database itself or a copy of one. Both have the same identity, so the file records it.
///
/// A copy can be read, verified, restored, salvaged and exported like its database. It does not stand in for it: what is
/// known of the database, such as its path and the version of its key, is not corrected by what a copy is.
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
}

/// What a file records of its role. The layer that keeps the record, above this one, says how ``FileRole`` does it.
protocol FileRoleRecord {
    /// Called with any rights, within a transaction or without.
    func write(to connection: borrowing Connection) throws
}
