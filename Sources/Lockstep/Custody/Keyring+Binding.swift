extension Keyring {
    /// Has the keyring list the database, and the database remember the keyring; a database without an id gets one.
    /// What is listed refuses to open from then on where somebody has removed what it remembers.
    ///
    /// Writes the keyring's file only where the database is not listed yet. A keyring that is signed lists nothing.
    /// - Parameters:
    ///   - file: The file that the keyring was opened from.
    ///   - connection: One that may write.
    /// - Throws: as ``remember(in:)``; ``LockstepError/Code/keyringConflict``; what writing the file throws.
    public mutating func bind(
        _ connection: borrowing Connection, in file: KeyringFile
    ) throws {
        try bind(connection, in: file, asListed: false)
    }

    /// - Parameter asListed: Whether a database without an id is the one that the keyring lists, if it lists just one: a
    ///   backup from before ids that was put back, or what was salvaged.
    package mutating func bind(
        _ connection: borrowing Connection, in file: KeyringFile, asListed: Bool
    ) throws {
        if asListed, document.files.count == 1, try KeyringTable.database(connection) == nil {
            let id = document.files[0].database
            try connection.with(rights: .engine) {
                try connection.write { connection in try KeyringTable.set(id, connection) }
            }
        }
        try remember(in: connection)
        let entry = try keyEntry(of: connection.path)
        guard signer == nil, let id = try KeyringTable.database(connection) else { return }
        let record = DatabaseRecord(database: id, keyVersion: entry.version)
        guard !lists(record) else { return }
        try file.update(&self) { keyring in try keyring.list(record) }
        try remember(in: connection)
    }

    /// Notes which key a listed database is under now.
    mutating func relist(_ database: [UInt8]?, under version: UInt32) throws(LockstepError) {
        guard let database, document.files.contains(where: { $0.database == database }) else {
            return
        }
        try list(DatabaseRecord(database: database, keyVersion: version))
    }
}
