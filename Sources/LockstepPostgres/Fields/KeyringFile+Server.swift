public import Lockstep

extension KeyringFile {
    /// Makes a fields keyring remember what is sealed on a server. From then on, connections refuse a server without
    /// this registry, or with an older state of it.
    ///
    /// Call this after a copy to a server, with the identity of the file in its report, and after a migration that
    /// seals.
    /// - Parameters:
    ///   - keyring: The fields keyring as opened from this file.
    ///   - connection: A connection opened with the keyring's keys.
    ///   - origin: The identity of the database that this one is a copy of.
    /// - Returns: Whether the file was written.
    /// - Throws: `LockstepError.Code.keyringMismatch` for a connection without the keys;
    ///   `LockstepError.Code.keyringConflict` for a keyring that is signed or full; the errors of the registry, and of
    ///   reading and writing the keyring.
    @discardableResult
    public func remember(
        _ keyring: inout Keyring, sealedOn connection: borrowing ServerConnection, from origin: [UInt8]? = nil
    ) throws -> Bool {
        let (fields, keys) = try Self.fields(of: keyring, connection)
        try fields.look(connection)
        guard let database = fields.database, let registry = fields.registry(of: keys) else {
            return false
        }
        return try remember(
            &keyring, SealedRecord(registry, keys, of: database, from: origin), of: registry)
    }

    /// Makes a fields keyring accept a server's database as it is, whatever it remembers: an older state that its owner
    /// has restored, also one from before anything was sealed, or another database of the dataset.
    /// - Parameters:
    ///   - keyring: The fields keyring, opened from this file.
    ///   - connection: A connection opened with `FieldKeys.withoutMemory()`, and with ``ServerOptions/mayBeUnsealed``
    ///     for a database in which nothing is sealed.
    /// - Returns: Whether anything is sealed in the database as it is now.
    /// - Throws: `LockstepError.Code.registryMissing` for a database without a registry of the dataset, if the keyring
    ///   does not remember it, or columns that it remembers hold cells; the errors of ``remember(_:sealedOn:from:)``.
    @discardableResult
    public func accept(
        _ keyring: inout Keyring, sealedOn connection: borrowing ServerConnection
    ) throws -> Bool {
        let (fields, keys) = try Self.fields(of: keyring, connection)
        try fields.look(connection)
        if let database = fields.database, let registry = fields.registry(of: keys) {
            try accept(&keyring, SealedRecord(registry, keys, of: database, from: nil))
            return true
        }
        let identity = try ServerIdentity(schema: fields.schema).read(connection)
        guard let identity, let known = keyring.sealedMemory.record(of: identity) else {
            throw LockstepError(
                .registryMissing, "\(connection.address) has no registry of the dataset, so there is nothing to accept",
                hint: "restore the database from a backup")
        }
        // Anyone who can write to the server can remove the registry, but then the cells are still there.
        for column in known.columns where try column.holdsCells(fields.schema, connection) {
            throw LockstepError(
                .registryMissing,
                "\(connection.address) has no registry of the dataset, but \(column.title) holds sealed cells",
                hint:
                    "restore the tables of the registry from a backup, or copy the database to the server again",
                context: .init(table: column.table, column: column.name))
        }
        try accept(&keyring, SealedRecord(unsealed: identity))
        return false
    }

    private static func fields(
        of keyring: borrowing Keyring, _ connection: borrowing ServerConnection
    ) throws(LockstepError) -> (ServerFields, FieldKeys) {
        guard let fields = connection.fields,
            let keys = fields.keys(of: keyring.subjectID)
        else {
            throw LockstepError(
                .keyringMismatch, "the connection was not opened with the keys of this keyring",
                hint: "open it with the keyring's fieldKeys")
        }
        return (fields, keys)
    }
}

extension SealedRecord.Column {
    /// Whether any value of the column on the server looks like a cell.
    fileprivate func holdsCells(
        _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> Bool {
        guard let shape = try ServerTable(table, in: schema, connection), shape.detail(name)?.type == ServerType.bytea
        else { return false }
        for mode in SealingMode.allCases {
            let form = ServerShape(shape, name, mode, [])
            let found: Bool? = try connection.value(
                """
                SELECT EXISTS (SELECT 1 FROM \(verbatim: shape.quotedName)
                    WHERE \(name: name) IS NOT NULL AND (\(verbatim: form.condition)))
                """)
            if found == true { return true }
        }
        return false
    }
}
