extension KeyringFile {
    /// Makes a fields keyring remember the database's registry of its dataset. From then on, connections refuse a file
    /// without this registry or with an older state of it.
    ///
    /// Call this after columns were sealed, unsealed or resealed, by a migration or otherwise; the `lockstep` tool does
    /// so itself. The keyring's file is written only if something changed.
    /// - Parameters:
    ///   - keyring: The fields keyring as opened from this file. Changes that others have made to the file since are
    ///     kept.
    ///   - connection: A connection opened with the keyring's keys.
    /// - Returns: Whether the file was written.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a database keyring, and for a connection without the
    ///   keys; ``LockstepError/Code/keyringConflict`` for a keyring that is signed or full;
    ///   ``LockstepError/Code/registryForged`` if the keyring meanwhile remembers a state from which this one did not
    ///   come; the errors of reading and writing both files.
    @discardableResult
    public func remember(
        _ keyring: inout Keyring, sealedIn connection: borrowing Connection
    ) throws -> Bool {
        let keys = try Self.keys(of: keyring, connection)
        guard let (registry, record) = try connection.sealedRecord(keys) else { return false }
        let recorded = try recordFields(&keyring, connection)
        let known = keyring.sealedMemory.record(of: record.database)
        let isBehind = recorded != nil && keyring.hasChanged(since: known?.seen ?? 0)
        guard known != record.keeping(known) || isBehind else { return false }
        try update(&keyring) { keyring in
            // A version that someone else wrote meanwhile is noted by the next command.
            let epoch = keyring.epoch == recorded ? keyring.epoch : nil
            try Self.take(record, of: registry, epoch, &keyring)
        }
        if recorded != nil { try keyring.rememberFields(in: connection) }
        return true
    }

    /// Makes a fields keyring remember what is sealed in a database that another engine has.
    /// - Returns: Whether the file was written.
    /// - Throws: as ``remember(_:sealedIn:)``.
    @discardableResult
    package func remember(
        _ keyring: inout Keyring, _ record: SealedRecord, of registry: ColumnRegistry
    ) throws -> Bool {
        let known = keyring.sealedMemory.record(of: record.database)
        guard known != record.keeping(known) else { return false }
        try update(&keyring) { keyring in try Self.take(record, of: registry, nil, &keyring) }
        return true
    }

    /// - Parameter epoch: The version of the keyring that the database has recorded; nil if it is as before.
    private static func take(
        _ record: SealedRecord, of registry: ColumnRegistry, _ epoch: UInt64?, _ keyring: inout Keyring
    ) throws {
        let newest = keyring.sealedMemory.record(of: record.database)
        if let newest {
            let isOwn = registry.database == record.database
            switch RegistryState(newest).succession(of: registry, isOwn: isOwn) {
            case .same, .later: break
            // Another command might have been faster and recorded a newer state.
            case .older: return
            case .ofOther, .diverged, .forgotten: throw SealedTrust.diverged
            }
        }
        let kept = record.keeping(newest)
        try keyring.remember(kept.withEpoch(epoch ?? kept.seen))
    }

    /// Makes the database record the newest version of a fields keyring, which is read again.
    /// - Returns: The epoch that it has recorded; nil for a keyring that is not changed, because it is signed, and for
    ///   a file from which nothing is learnt: a copy, or one that is only read.
    private func recordFields(
        _ keyring: inout Keyring, _ connection: borrowing Connection
    ) throws -> UInt64? {
        guard keyring.signer == nil, try KeyringTable.read(connection).role == .original else {
            return nil
        }
        try reread(&keyring)
        do {
            try keyring.rememberFields(in: connection)
        } catch let error as LockstepError where error.code == .readOnly {
            return nil
        }
        return keyring.epoch
    }

    /// Makes a fields keyring accept a database as it is, whatever it remembers: an older database that its owner has
    /// restored, also one from before anything was sealed, or one from before keyrings remembered databases.
    /// - Parameters:
    ///   - keyring: The fields keyring, opened from this file.
    ///   - connection: A connection opened with ``FieldKeys/withoutMemory()``, and with
    ///     ``ConnectionOptions/mayBeUnsealed`` for a database in which nothing is sealed.
    /// - Returns: Whether anything was ever sealed in the database as it is now.
    /// - Throws: The errors of ``remember(_:sealedIn:)``; ``LockstepError/Code/registryMissing`` if the file has no
    ///   registry of the dataset, and the keyring does not remember the database, or columns that it remembers hold
    ///   cells.
    @discardableResult
    public func accept(
        _ keyring: inout Keyring, sealedIn connection: borrowing Connection
    ) throws -> Bool {
        let keys = try Self.keys(of: keyring, connection)
        let record =
            try connection.sealedRecord(keys)?.record
            ?? connection.unsealedRecord(keyring.sealedMemory)
        try accept(&keyring, record)
        if keyring.signer == nil { try keyring.rememberFields(in: connection) }
        return record.isSealed
    }

    /// Makes a fields keyring accept what is sealed in a database that another engine has, whatever it remembers.
    /// - Throws: as ``accept(_:sealedIn:)``.
    package func accept(_ keyring: inout Keyring, _ record: SealedRecord) throws {
        try update(&keyring) { keyring in
            try keyring.remember(
                record.keeping(keyring.sealedMemory.record(of: record.database)))
        }
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
    /// The record of a database without a registry, which the keyring remembers.
    fileprivate func unsealedRecord(_ memory: SealedMemory) throws -> SealedRecord {
        try with(rights: .engine) {
            // Of a fork that it does not remember yet, the keyring expects what it remembers of the original.
            guard let id = try KeyringTable.database(self),
                let known = memory.record(of: id) ?? origins(of: id).lazy.compactMap(memory.record).first
            else {
                throw LockstepError(
                    .registryMissing, "the file has no registry of the dataset, so there is nothing to accept",
                    hint: "restore the database from a backup")
            }
            // Anyone who can open the database can remove the registry, but then the cells are still there.
            guard let column = try known.columns.first(where: { try $0.holdsCells(self) }) else {
                return SealedRecord(unsealed: id)
            }
            throw LockstepError(
                .registryMissing, "the file has no registry of the dataset, but \(column.title) holds sealed cells",
                advice: "make the registry again with \(.rebuildRegistry)",
                context: .init(table: column.table, column: column.name))
        }
    }

    /// The file's current registry of a dataset, and the record of it; nil if it has none.
    fileprivate func sealedRecord(
        _ keys: FieldKeys
    ) throws -> (registry: ColumnRegistry, record: SealedRecord)? {
        try with(rights: .engine) {
            guard let registry = try RegistryTables.read(keys, self),
                let record = try SealedRecord(registry, keys, self)
            else { return nil }
            return (registry, record)
        }
    }
}
