extension OpenedKeyrings {
    /// Makes the database record its keyring, and the keyring that it has, if either is new to the other.
    func settle(_ connection: borrowing Connection) throws {
        _ = try database.reread()
        try database.keyring.settle(connection, in: database.file)
    }

    /// Records in fields keyrings that remember other databases that nothing is sealed in this one yet, once an opening
    /// has found it new.
    package func noteUnsealed(_ connection: borrowing Connection) throws {
        for one in fields { try one.noteUnsealed(connection) }
    }

    /// Makes the fields keyrings remember the state that the database now proves. A signed one belongs to its
    /// publisher, and contains the state that the release proved.
    func rememberSealed(_ connection: borrowing Connection) throws {
        for one in fields where one.keyring.signer == nil {
            _ = try one.reread()
            try one.file.remember(&one.keyring, sealedIn: connection)
        }
    }
}

extension OpenedFields {
    /// A program that is killed after the first sealing, before the keyring remembers it, would otherwise find a
    /// registry of a database that the keyring does not know.
    fileprivate func noteUnsealed(_ connection: borrowing Connection) throws {
        guard isUsed, keyring.signer == nil, let id = try connection.databaseID(),
            keyring.sealedMemory.record(of: id) == nil,
            try connection.with(rights: .engine, { try RegistryTables.read(keys, connection) }) == nil
        else { return }
        try note(unsealed: id)
    }

    /// Records that nothing is sealed in a database yet. A signed keyring stays as it is, as does one that remembers
    /// nothing: every database is new to it.
    func note(unsealed id: [UInt8]) throws {
        guard isUsed, keyring.signer == nil else { return }
        try file.update(&keyring) { keyring in
            guard keyring.sealedMemory.record(of: id) == nil else { return }
            try keyring.remember(SealedRecord(unsealed: id))
        }
        try renew()
    }
}
