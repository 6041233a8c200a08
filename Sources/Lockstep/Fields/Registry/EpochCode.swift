// What a database has recorded of a dataset's keyrings, authenticated
// ====================================================================
//
// The row of a fields keyring in lockstep_keyring (see KeyringTable.swift) has
//
//     mac = HMAC-SHA256(registry key, `epoch/1`, dataset, registry, ring, epoch)
//
// with the registry key and the encoding of RegistryTables.swift; `registry` is the identity of the dataset's registry in the
// database, empty without one. So nobody without the dataset's keys can lower an epoch, and make a program take an older
// copy of the fields keyring, whose slots may since have been removed, for the newest one. A row from an older copy of the
// same database is as genuine as it was. Each change of the registry writes all rows of the dataset again, under the key
// that it is under: as long as the registry can be read, so can they.

/// The MACs of what a database has recorded of fields keyrings.
enum EpochCode {
    /// Raises the epochs of these rings to at least `epoch`, within the open transaction and with the engine's rights.
    static func record(
        _ rings: [[UInt8]], _ epoch: UInt64, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws {
        let known = try KeyringTable.read(connection).fields
        let registry = try RegistryTables.read(keys, connection)
        let rows = try rings.map { ring in
            let former = try known.first { try $0.ring == ring && isGenuine($0, registry?.identity, keys) }?.epoch ?? 0
            return KeyringTable.FieldsRow(dataset: keys.dataset, ring: ring, epoch: max(former, epoch))
        }
        try put(rows, registry?.identity, registry?.keyVersion ?? keys.activeVersion, keys, connection)
    }

    /// Writes all genuine rows of the dataset again, with its registry, in that one's transaction.
    static func renew(_ registry: ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing Connection) throws {
        let rows = try KeyringTable.read(connection).fields.filter { row in
            // The first rows can come before the registry.
            try isGenuine(row, registry.identity, keys) || isGenuine(row, nil, keys)
        }
        if registry.changes == 1 {
            // What is left is of a registry that is gone.
            try KeyringTable.remove(fieldsOf: keys.dataset, connection)
        }
        try put(rows, registry.identity, registry.keyVersion, keys, connection)
    }

    /// Which of these rings have no genuine row, or one with a lower epoch.
    static func behind(
        _ rings: [[UInt8]], _ epoch: UInt64, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> [[UInt8]] {
        let known = try KeyringTable.read(connection).fields
        let registry = try RegistryTables.read(keys, connection)?.identity
        return try rings.filter { ring in
            guard let row = known.first(where: { $0.ring == ring }) else { return true }
            return try row.epoch < epoch || !isGenuine(row, registry, keys)
        }
    }

    /// Checks the rows of the keyring that the keys are from, and of those that it has replaced. Without a registry, nothing
    /// is sealed in the file, which ``SealedTrust`` has decided: rows can be of a registry that a person has given up.
    /// - Throws: ``LockstepError/Code/registryForged`` for a row that none of the keys has made.
    static func require(
        _ content: KeyringTable.Content, _ keys: FieldKeys, _ registry: ColumnRegistry?
    ) throws(LockstepError) {
        guard let origin = keys.origin, let registry else { return }
        for row in content.fields where row.dataset == keys.dataset {
            guard row.ring == origin.ring || origin.formerRings.contains(row.ring) else { continue }
            guard try isGenuine(row, registry.identity, keys) else {
                throw RegistryTables.forged(
                    "does not authenticate what the database has recorded of its fields keyring")
            }
        }
    }

    private static func isGenuine(
        _ row: KeyringTable.FieldsRow, _ registry: [UInt8]?, _ keys: FieldKeys
    ) throws(LockstepError) -> Bool {
        guard row.dataset == keys.dataset, let mac = row.mac else { return false }
        // Mostly under the newest one.
        for version in keys.versions.reversed() where keys.hasSecret(version) {
            let due = try code(row, registry, version, keys)
            if ConstantTime.equal(due.span, mac.span) { return true }
        }
        return false
    }

    private static func put(
        _ rows: [KeyringTable.FieldsRow], _ registry: [UInt8]?, _ version: UInt32, _ keys: FieldKeys,
        _ connection: borrowing Connection
    ) throws {
        guard !rows.isEmpty else { return }
        try KeyringTable.put(
            rows.map { row in
                var row = row
                row.mac = try code(row, registry, version, keys)
                return row
            }, connection)
    }

    private static func code(
        _ row: KeyringTable.FieldsRow, _ registry: [UInt8]?, _ version: UInt32, _ keys: FieldKeys
    ) throws(LockstepError) -> [UInt8] {
        let key = try keys.registryKey(version)
        var message = AuthenticatedMessage("epoch/1")
        message.add(row.dataset)
        message.add(registry ?? [])
        message.add(row.ring)
        message.add(row.epoch)
        return try message.code(HMAC(.sha256, key: key.bytes))
    }
}
