extension KeyringFile {
    /// Has a fields keyring remember what a database proves of its dataset, so that a file that proves less, or an older
    /// state, is refused from then on.
    ///
    /// To be called after columns were sealed, unsealed or resealed, by a migration or otherwise; `lockstep` does by
    /// itself. Where the database speaks of the dataset in the first format, it is brought to the newer one before.
    /// Writes the keyring's file only where that is news.
    /// - Parameters:
    ///   - keyring: The fields keyring as opened from this file. What others have changed in it since is kept.
    ///   - connection: One that was opened with the keyring's keys.
    /// - Returns: Whether the file was written.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a database keyring, and for a connection without the keys;
    ///   ``LockstepError/Code/keyringConflict`` for a keyring that is signed or full;
    ///   ``LockstepError/Code/registryOlder`` if the keyring remembers a newer state by now; what reading and writing
    ///   both throws.
    @discardableResult
    public func remember(
        _ keyring: inout Keyring, sealedIn connection: borrowing Connection
    ) throws -> Bool {
        let keys = try Self.keys(of: keyring, connection)
        guard let record = try connection.sealedRecord(keys) else { return false }
        guard keyring.sealedMemory.record(of: record.database) != record else { return false }
        try update(&keyring) { keyring in
            let newest = keyring.sealedMemory.record(of: record.database)
            // Another command may have been faster, and have seen more.
            guard record.changes >= newest?.changes ?? 0 else { return }
            guard record.changes != newest?.changes || record.code == newest?.code else {
                throw RegistryTables.forged(
                    "is another line of changes than the fields keyring remembers")
            }
            try keyring.remember(record)
        }
        return true
    }

    /// Has a fields keyring take a database as it is, whatever was remembered of it: an older one that its owner has
    /// put back, or one from before databases were remembered.
    /// - Parameter connection: One that was opened with ``FieldKeys/withoutMemory()``.
    /// - Throws: as ``remember(_:sealedIn:)``; ``LockstepError/Code/registryMissing`` if the file proves nothing.
    public func accept(
        _ keyring: inout Keyring, sealedIn connection: borrowing Connection
    ) throws {
        let keys = try Self.keys(of: keyring, connection)
        guard let record = try connection.sealedRecord(keys) else {
            throw LockstepError(
                .registryMissing,
                "the file proves nothing of the dataset, so there is nothing to accept",
                hint: "restore the database from a backup")
        }
        try update(&keyring) { keyring in try keyring.remember(record) }
    }

    private static func keys(
        of keyring: borrowing Keyring, _ connection: borrowing Connection
    ) throws(LockstepError) -> FieldKeys {
        let dataset = keyring.subjectID
        guard let keys = connection.sealed?.allKeys.first(where: { $0.dataset == dataset }) else {
            throw LockstepError(
                .keyringMismatch, "the connection was not opened with the keys of this keyring",
                hint: "open it with the keyring's fieldKeys")
        }
        return keys
    }
}

extension Connection {
    /// What the file proves of a dataset now; nil if nothing.
    fileprivate func sealedRecord(_ keys: FieldKeys) throws -> SealedRecord? {
        try with(rights: .engine) {
            guard let registry = try RegistryTables.read(keys, self) else { return nil }
            if let record = SealedRecord(registry) { return record }
            return try write { connection in
                guard var registry = try RegistryTables.read(keys, connection) else { return nil }
                if registry.database == nil {
                    try RegistryTables.write(&registry, keys, connection)
                    try connection.sealed?.adopt(registry, keys, connection)
                }
                return SealedRecord(registry)
            }
        }
    }
}

extension SealedRecord {
    /// Nil for a registry of the first format.
    init?(_ registry: ColumnRegistry) {
        guard let database = registry.database else { return nil }
        let columns = registry.columns.filter { $0.state != .plaintext && !$0.name.isEmpty }
        self.init(
            database: database, changes: registry.changes, code: registry.code,
            columns: columns.map { Column($0.table, $0.name) })
    }
}
