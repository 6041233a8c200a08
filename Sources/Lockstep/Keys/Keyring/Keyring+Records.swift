/// What a keyring remembers of the databases that it serves.
extension Keyring {
    /// The databases of a fields keyring's dataset, as it remembers them.
    public var sealedMemory: SealedMemory { SealedMemory(document.sealed) }

    /// Remembers what a database proves of the dataset, in the place of what was remembered of it before. Not before
    /// the keyring is saved does anybody else know.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a database keyring;
    ///   ``LockstepError/Code/keyringConflict`` for one that is full.
    mutating func remember(_ record: SealedRecord) throws(LockstepError) {
        guard purpose == .fields else {
            throw LockstepError(
                .keyringMismatch, "a \(purpose.rawValue) keyring remembers no sealed columns",
                hint: "give the dataset's keyring, <dataset>.fields.keyring")
        }
        var records = document.sealed.filter { $0.database != record.database }
        try Self.requireRoom(records.count)
        records.append(record)
        document.sealed = records.sorted { $0.database.lexicographicallyPrecedes($1.database) }
    }

    /// Lists a database as one that the keyring opens, with the version of its key.
    /// - Throws: as ``remember(_:)``.
    mutating func list(_ record: DatabaseRecord) throws(LockstepError) {
        try requireDatabasePurpose()
        var files = document.files.filter { $0.database != record.database }
        try Self.requireRoom(files.count)
        files.append(record)
        document.files = files.sorted { $0.database.lexicographicallyPrecedes($1.database) }
    }

    /// Lists a database that is to be made, under an id that it gets with ``newDatabaseKey()``.
    package mutating func listNewDatabase() throws(LockstepError) {
        try list(
            DatabaseRecord(
                database: Random.bytes(KeyringDocument.databaseIDLength),
                keyVersion: activeDatabaseKey().version))
    }

    /// The key for the database that ``listNewDatabase()`` has listed.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    package borrowing func newDatabaseKey() throws(LockstepError) -> DatabaseKey {
        var key = try databaseKey()
        if document.files.count == 1 { key.origin?.newDatabase = document.files[0].database }
        return key
    }

    /// Whether a database is listed so already.
    borrowing func lists(_ record: DatabaseRecord) -> Bool { document.files.contains(record) }

    private static func requireRoom(_ count: Int) throws(LockstepError) {
        guard count < KeyringDocument.maximumDatabases else {
            throw LockstepError(
                .keyringConflict,
                "the keyring remembers \(KeyringDocument.maximumDatabases) databases already",
                hint: "give further databases a keyring of their own")
        }
    }

    /// What a key that comes out of this keyring carries along, for opening to compare.
    borrowing func origin(_ entry: KeyringDocument.KeyEntry) -> DatabaseKey.Origin {
        DatabaseKey.Origin(
            ring: document.ringID, formerRings: Set(document.formerRings), epoch: epoch,
            isPending: entry.state == .pending, isBound: !document.files.isEmpty)
    }
}
