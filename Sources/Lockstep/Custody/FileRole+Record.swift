extension FileRole: FileRoleRecord {
    func write(to connection: borrowing Connection) throws {
        try connection.with(rights: .engine) { try KeyringTable.set(self, connection) }
    }

    func noteRestore(at seconds: Int64, in connection: borrowing Connection) throws {
        try connection.with(rights: .engine) {
            try KeyringTable.set(restored: seconds, connection)
        }
    }
}

extension Connection {
    /// Whether the file is a database itself or a copy of one.
    /// - Throws: ``LockstepError/Code/tampered`` for a table that Lockstep did not write.
    package func fileRole() throws -> FileRole {
        try with(rights: .engine) { try KeyringTable.read(self).role }
    }
}
