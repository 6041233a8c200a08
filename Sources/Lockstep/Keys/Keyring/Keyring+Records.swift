/// A keyring's records of its databases.
extension Keyring {
    /// The records that a fields keyring has of its dataset's databases.
    public var sealedMemory: SealedMemory { SealedMemory(document.sealed) }

    /// Records the state of the dataset that a database proves, replacing the previous record of that database. Others
    /// see the record only after the keyring is saved.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a database keyring;
    ///   ``LockstepError/Code/keyringConflict`` for a full keyring.
    mutating func remember(_ record: SealedRecord) throws(LockstepError) {
        guard purpose == .fields else {
            throw LockstepError(
                .keyringMismatch, "a \(purpose.rawValue) keyring does not record sealed columns",
                hint: "give the dataset's keyring, <dataset>.fields.keyring")
        }
        var records = document.sealed.filter { $0.database != record.database }
        try Self.requireRoom(records.count)
        records.append(record)
        document.sealed = records.sorted { $0.database.lexicographicallyPrecedes($1.database) }
    }

    /// Records a database that the keyring opens, with the version of its key.
    /// - Throws: as in ``remember(_:)``.
    mutating func list(_ record: DatabaseRecord) throws(LockstepError) {
        try requireDatabasePurpose()
        var files = document.files.filter { $0.database != record.database }
        try Self.requireRoom(files.count)
        files.append(record)
        document.files = files.sorted { $0.database.lexicographicallyPrecedes($1.database) }
    }

    /// Records a database that does not exist yet, under the id that it gets with ``newDatabaseKey()``.
    package mutating func listNewDatabase() throws(LockstepError) {
        try list(
            DatabaseRecord(
                database: Random.bytes(KeyringDocument.databaseIDLength),
                keyVersion: activeDatabaseKey().version))
    }

    /// The key for the database that ``listNewDatabase()`` recorded.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    package borrowing func newDatabaseKey() throws(LockstepError) -> DatabaseKey {
        var key = try databaseKey()
        if document.files.count == 1 { key.origin?.newDatabase = document.files[0].database }
        return key
    }

    /// Whether the keyring records any database.
    package var recordsDatabases: Bool { !document.files.isEmpty }

    /// Whether the keyring contains this record.
    borrowing func lists(_ record: DatabaseRecord) -> Bool { document.files.contains(record) }

    private static func requireRoom(_ count: Int) throws(LockstepError) {
        guard count < KeyringDocument.maximumDatabases else {
            throw LockstepError(
                .keyringConflict,
                "the keyring already records \(KeyringDocument.maximumDatabases) databases",
                hint: "use another keyring for further databases")
        }
    }

    /// The origin that a key from this keyring carries, for comparison when a database is opened.
    borrowing func origin(_ entry: KeyringDocument.KeyEntry) -> DatabaseKey.Origin {
        DatabaseKey.Origin(
            ring: document.ringID, formerRings: Set(document.formerRings), epoch: epoch,
            isPending: entry.state == .pending, databases: Set(document.files.map(\.database)))
    }
}
