package import SystemPackage

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

    /// Records where a database was seen and under which key, and keeps what else is recorded of it.
    /// - Parameters:
    ///   - database: The database's id.
    ///   - key: The key of its file.
    ///   - path: Where it is, as ``KeyringFile/spelling(of:)`` says; nil keeps the recorded path.
    /// - Throws: as in ``remember(_:)``.
    mutating func list(
        _ database: [UInt8], under key: FileKey, at path: FilePath? = nil
    ) throws(LockstepError) {
        let known = record(of: database)
        try list(
            DatabaseRecord(
                database: database, keyVersion: key.version, salt: key.salt(of: database), seen: known?.seen ?? 0,
                path: path ?? known?.path, origin: known?.origin))
        if let path { leave(path, to: database) }
    }

    /// Notes that a file lies at a path which is none of the databases that were seen there: where those are is not
    /// known any more.
    /// - Parameter database: The file's id.
    mutating func leave(_ path: FilePath, to database: [UInt8]) {
        for index in document.files.indices {
            let other = document.files[index]
            guard other.path == path, other.database != database, other.seen > 0 else { continue }
            document.files[index].path = nil
        }
    }

    /// The record of another database that was last seen at this path: what is put there becomes that one. Not one that
    /// is about to be created there, or whose file was never made.
    borrowing func record(at path: FilePath, besides database: [UInt8]?) -> DatabaseRecord? {
        let there = document.files.filter { $0.path == path }
        guard !there.contains(where: { $0.database == database }) else { return nil }
        return there.first { $0.seen == 0 && $0.origin != nil && $0.origin == database }
            ?? there.filter { $0.seen > 0 || $0.origin != nil }.max { $0.seen < $1.seen }
    }

    /// The record of the database with this id.
    borrowing func record(of database: [UInt8]) -> DatabaseRecord? {
        document.files.first { $0.database == database }
    }

    /// Records a database that does not exist yet, under the id that it gets with
    /// ``newDatabaseKey(at:)``.
    /// - Parameter path: Where it will be, as ``KeyringFile/spelling(of:)`` says.
    package mutating func listNewDatabase(at path: FilePath? = nil) throws(LockstepError) {
        let identity = try Random.bytes(KeyringDocument.databaseIDLength)
        try list(identity, under: newFileKey(of: identity, activeDatabaseKeyEntry()), at: path)
    }

    /// The key for the database that ``listNewDatabase(at:)`` recorded at this path.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    package borrowing func newDatabaseKey(
        at path: FilePath? = nil
    ) throws(LockstepError) -> DatabaseKey {
        let entry = try activeDatabaseKeyEntry()
        guard let unmade = unmadeDatabase(at: path) else { return try openingKey(FileKey(entry: entry)) }
        return try openingKey(
            FileKey(entry: entry, file: unmade.database, salt: unmade.salt), ofNew: unmade.database)
    }

    /// The record of a database that was to be made at this path. Once it is there, it records the keyring, and the
    /// keyring that it did.
    borrowing func unmadeDatabase(at path: FilePath?) -> DatabaseRecord? {
        document.files.first { $0.seen == 0 && $0.path == path }
    }

    /// Records that a database is known to have recorded `epoch` of this keyring.
    mutating func note(_ database: [UInt8], recorded epoch: UInt64) {
        if let index = document.files.firstIndex(where: { $0.database == database }) {
            document.files[index].seen = epoch
        }
    }

    /// Whether the keyring has changed since a database recorded `epoch`, in more than what it says that databases have
    /// recorded. Noting an epoch is a change of its own, to the next one: if that counted, commands on two databases in
    /// turn would each find the other's.
    borrowing func hasChanged(since epoch: UInt64) -> Bool {
        guard epoch < self.epoch else { return false }
        let noted = [0] + document.files.map(\.seen) + document.sealed.map(\.seen)
        let changes = Set(noted.map { $0 + 1 }).filter { $0 > epoch && $0 <= self.epoch }
        return UInt64(changes.count) < self.epoch - epoch
    }

    /// Whether the keyring records any database.
    package var recordsDatabases: Bool { !document.files.isEmpty }

    /// Whether the keyring records the database under this key and at this path.
    borrowing func lists(_ database: [UInt8], under key: FileKey, at path: FilePath) -> Bool {
        document.files.contains {
            $0.database == database && $0.keyVersion == key.version && $0.salt == key.salt(of: database)
                && $0.path == path
        }
    }

    /// How many other keys an opening tries on the file in a database's place, the newest. Each takes some microseconds
    /// and 32 bytes of locked memory at each opening, and a keyring can have a thousand.
    private static let triedKeys = 16

    private static func requireRoom(_ count: Int) throws(LockstepError) {
        guard count < KeyringDocument.maximumDatabases else {
            throw LockstepError(
                .keyringConflict, "the keyring already records \(KeyringDocument.maximumDatabases) databases",
                hint: "use another keyring for further databases")
        }
    }

    /// The origin that a key from this keyring carries, for comparison when a database is opened.
    /// - Parameter version: The database key of the entry.
    borrowing func origin(
        _ entry: KeyringDocument.KeyEntry, _ version: consuming VersionKey
    ) throws(LockstepError) -> DatabaseKey.Origin {
        var origin = DatabaseKey.Origin(
            ring: document.ringID, formerRings: Set(document.formerRings), epoch: epoch, keyVersion: entry.version,
            keyring: file?.path, isPending: entry.state == .pending, closing: entry.isClosed ? entry.closing : nil,
            files: document.files.map { DatabaseKey.RecordedFile($0, in: folder) })
        origin.isSigned = signer != nil
        // Mostly there is no other: a keyring with one database has one key that is in use.
        let recorded = Set(document.files.map(\.keyVersion))
        let others = document.keys.filter { other in
            guard other.kind == .database, other != entry, other.state != .destroyed else { return false }
            return recorded.contains(other.version)
                || [.active, .pending].contains(other.state) && (origin.isPending || other.state == .pending)
        }
        origin.versions.append(SharedSecret(version))
        for other in others.suffix(Self.triedKeys) {
            origin.versions.append(SharedSecret(try versionKey(other.version)))
        }
        return origin
    }
}

extension KeyringDocument.KeyEntry {
    /// Whether nothing new is made with the key.
    var isClosed: Bool { ![.active, .pending].contains(state) }

    /// What became of it, and when.
    var closing: String { "\(state.rawValue) on \(day)" }
}

extension DatabaseKey.RecordedFile {
    /// - Parameter folder: The keyring's folder, as an absolute path; nil if it is not known.
    fileprivate init(_ record: DatabaseRecord, in folder: FilePath?) {
        self.init(identity: record.database, keyVersion: record.keyVersion)
        (seen, salt) = (record.seen, record.salt)
        (recordedPath, self.folder) = (record.path, folder)
        // Until a command has noted it, the fork might not have become a database of its own.
        if record.seen == 0 { unfinishedOrigin = record.origin }
    }
}
