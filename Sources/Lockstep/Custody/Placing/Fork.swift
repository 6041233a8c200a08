public import SystemPackage

// A fork
// ======
//
// A copy has the identity and the key of its database, so that what changes it could be taken for a change of the
// database, and its pages put into that. A fork gives it an identity and a key of its own. The steps, each of which can
// be the last:
//
// 1. The keyring gets a line for the new database: its path, its key, the database that it was forked from, and nothing
//    that it has recorded. A file of the old identity may still lie there (see IdentityCheck.swift). If a database was
//    last seen at the path, which the copy has replaced, its line becomes this one: a copy that is refreshed every night
//    stays one database.
// 2. The file is replaced by one under the new key, as by a rotation, which has the identity of the line, the role of a
//    database, and a record of the keyring.
// 3. The file records the keyring again, and the line that it has done so, as with any other database.
//
// The next run after the first step takes the line that is there, and removes what was made of the new file. After the
// second the fork is finished: the next command that writes does the third.
//
// The fork keeps the registry of sealed columns, and with it every cell, until it changes it. Who has the database's
// keyring and no fields keyring can fork, and can write any `from`, so that it makes no fork known to a fields keyring: a
// person does (`keys fork --fields`, `accept-database`, `--first-time`), or the command with fields keys that made it; or
// the fork's own registry, changed under its identity, which only a fields keyring could make. In any case its registry
// must be the one that is remembered of the database in the line's `from`, or a later state of it.

/// Makes a copy of a database a database of its own.
///
/// A backup, and a file that was copied with another program, has the identity and the key of its database. A fork has
/// its own of both, and its own record in the same keyring. The database that it is a copy of does not change, and
/// neither do the fork's rows and sealed cells. If it is killed, the next run finishes it. No key of the keyring can be
/// destroyed meanwhile.
///
/// The file is replaced by one under the new key, which is verified first: that takes as long as a
/// ``DatabaseKeyRotation``, and as much free space.
///
/// A fields keyring remembers the fork once ``KeyringFile/remember(_:sealedIn:)`` is called for it; until then it is
/// opened with ``ConnectionOptions/firstTime``, and must prove what the keyring remembers of its database.
public struct Fork: Sendable {
    /// The copy.
    public let copy: FilePath
    /// The file of the keyring of its database.
    package internal(set) var keyringFile: KeyringFile

    /// A fork of the file at `copy`, which `keyring` opens. Nothing runs yet.
    package init(of copy: FilePath, keyring keyringFile: KeyringFile) {
        self.copy = copy
        self.keyringFile = keyringFile
    }

    /// The result of a fork.
    public struct Report: Sendable, Hashable {
        /// The identity that the file has now, 16 bytes.
        public let database: [UInt8]
        /// The identity of the database that it is a copy of.
        public let origin: [UInt8]
        /// Where that database was last seen; nil if the keyring does not know.
        public let original: FilePath?
        /// Whether a database was last seen where the copy lies, whose identity the file has now.
        public let isRenewed: Bool
    }

    /// Connection options, used only for the functions and collations that the schema needs.
    var options = ConnectionOptions()

    /// Runs the fork.
    /// - Parameter keyring: The keyring as opened from ``keyringFile``; afterwards its newest version.
    /// - Throws: ``LockstepError/Code/misuse`` for the database itself, and for a copy in its place;
    ///   ``LockstepError/Code/unknownDatabase`` for a file whose identity the keyring does not record;
    ///   ``LockstepError/Code/exchanged``;
    ///   ``LockstepError/Code/keyUnavailable`` for a copy under a key that is no longer in use;
    ///   ``LockstepError/Code/keyringConflict`` for a keyring that is signed or full, and during a rotation;
    ///   ``LockstepError/Code/keyringMismatch`` for one of another purpose; ``LockstepError/Code/busy`` if any
    ///   connection has the copy open; ``LockstepError/Code/full``; ``LockstepError/Code/damaged``: a damaged file is
    ///   not copied; ``LockstepError/Code/alreadyExists`` if a file named `<name>.rotating` is not from a fork;
    ///   ``LockstepError/Code/locked`` if somebody is destroying a key for longer than ``FileLockWait`` allows;
    ///   ``LockstepError/Code/keyringOutdated`` for an old copy of the keyring; the errors of opening the copy and of
    ///   writing both files.
    @discardableResult
    package func run(_ keyring: inout Keyring) throws -> Report {
        try keyring.requireDatabasePurpose()
        try keyring.requireUnsigned()
        try Diagnosis.requireDatabase(copy)
        let use = try UseLock(keyringFile.path)
        defer { _ = use }
        try keyringFile.reread(&keyring)
        let entry = try keyring.standingKey(of: copy)
        guard entry.state != .pending else { throw rotating }
        let key = try keyring.databaseKey(entry)
        let known: DatabaseKey.RecordedFile
        do {
            let connection = try Connection.open(copy, key: key, options: options.ofSchema)
            let content = try KeyringTable.read(connection)
            let origin = try keyring.origin(entry.entry, keyring.versionKey(entry.version))
            known = try requireCopy(content, origin, keyring, key)
            // An old copy of the keyring changes nothing.
            _ = try keyring.ringsBehind(keyring.epoch, in: connection)
        }
        let isRenewed = try keyring.record(at: keyringFile.spelling(of: copy), besides: known.identity)?.seen ?? 0 > 0
        let isBegun = try begun(known.identity, keyring) != nil
        let (database, new) = try list(known.identity, &keyring)
        try replace(key, known.identity, by: database, new, isBegun: isBegun, keyring)
        try keyring.bind(
            Connection.open(copy, key: keyring.databaseKey(new), options: options.ofSchema), in: keyringFile)
        return Report(database: database, origin: known.identity, original: known.path, isRenewed: isRenewed)
    }

    // MARK: Steps

    /// - Returns: The record of the database that the file is a copy of.
    private func requireCopy(
        _ content: KeyringTable.Content, _ origin: DatabaseKey.Origin, _ keyring: borrowing Keyring,
        _ key: borrowing DatabaseKey
    ) throws -> DatabaseKey.RecordedFile {
        guard let known = origin.files.first(where: { $0.identity == content.database }) else {
            throw IdentityCheck.unknown(content.database)
        }
        do {
            switch try IdentityCheck.require(content, origin, at: copy, key) {
            case .copy: return known
            case .copyInPlace: throw inPlace
            case .inPlace: throw known.path == nil ? placeless : original
            case .moved:
                guard try lies(known, keyring) else { throw original }
                return known
            }
        } catch let error as LockstepError where error.code == .twoFiles {
            // The other one is the database: it lies where that was last seen.
            return known
        } catch let error as LockstepError where error.code == .exchanged {
            // It has replaced another database, whose identity it gets. Files that were exchanged keep theirs.
            guard try content.role == .copy || lies(known, keyring) else { throw error }
            return known
        }
    }

    /// Whether the database lies where it was last seen, under whichever key.
    private func lies(_ known: DatabaseKey.RecordedFile, _ keyring: borrowing Keyring) throws -> Bool {
        guard let record = keyring.record(of: known.identity), let place = known.path else { return false }
        return try keyring.lies(record, at: place)
    }

    /// The new database, if a fork of this file has recorded it and was then interrupted.
    private func begun(_ origin: [UInt8], _ keyring: borrowing Keyring) throws -> DatabaseRecord? {
        guard let there = try keyring.record(at: keyringFile.spelling(of: copy), besides: origin) else { return nil }
        return there.seen == 0 && there.origin == origin ? there : nil
    }

    /// Records the new database. One that a fork of this file recorded, which was then interrupted, is taken, and so is
    /// one that was last seen there.
    /// - Returns: Its identity, and its key.
    private func list(_ origin: [UInt8], _ keyring: inout Keyring) throws -> (database: [UInt8], key: FileKey) {
        let path = try keyringFile.spelling(of: copy)
        let there = keyring.record(at: path, besides: origin)
        let active = try keyring.activeDatabaseKeyEntry()
        if let begun = try begun(origin, keyring), begun.keyVersion == active.version, let salt = begun.salt {
            return (begun.database, FileKey(entry: active, file: begun.database, salt: salt))
        }
        let database = if let there { there.database } else { try Random.bytes(KeyringTable.idLength) }
        var key = try keyring.newFileKey(of: database, active)
        try keyringFile.update(&keyring) { keyring in
            key = try keyring.newFileKey(of: database, keyring.activeDatabaseKeyEntry())
            try keyring.list(
                DatabaseRecord(
                    database: database, keyVersion: key.version, salt: key.salt, path: path, origin: origin))
        }
        return (database, key)
    }

    /// Gives the file the new identity and its key, in one step: by a copy that takes its place.
    private func replace(
        _ old: borrowing DatabaseKey, _ origin: [UInt8], by database: [UInt8], _ key: FileKey, isBegun: Bool,
        _ keyring: borrowing Keyring
    ) throws {
        let change = try KeyChange.begin(copy, key: old, schema: options) { connection in
            guard try KeyringTable.database(connection) == origin else { throw changed }
        }
        // Nobody else can make one while the file is locked.
        if isBegun { KeyChange.removeLeftover(of: copy) }
        try change.requireSpace { try FileAccess.freeSpace(in: $0) }
        let new = try keyring.databaseKey(key)
        let exact = try change.copy(from: old, to: new) { _ in }
        let forked = try change.amend(exact, key: new) { connection in
            try connection.with(rights: .engine) {
                try connection.write { try KeyringTable.fork(as: database, $0) }
            }
        }
        try change.replace(with: forked)
    }

    // MARK: Errors

    private var original: LockstepError {
        LockstepError(
            .misuse, "\(copy) is a database of the keyring, and no copy of one",
            hint: "name a backup or another copy of it", context: .file(copy))
    }

    private var placeless: LockstepError {
        LockstepError(
            .misuse, "\(copy) does not say that it is a copy, and the keyring does not know where its database lies",
            advice: "\(.rememberKeyring) on the database records that", context: .file(copy))
    }

    private var inPlace: LockstepError {
        LockstepError(
            .misuse, "\(copy) is a copy that lies in the place of its database",
            advice: """
                to go on with it as the database, restore it with \(.restore); otherwise move it away first
                """,
            context: .file(copy))
    }

    private var changed: LockstepError {
        LockstepError(
            .busy, "someone else gave \(copy) another identity in the meantime",
            hint: "run it again", context: .file(copy))
    }

    private var rotating: LockstepError {
        LockstepError(
            .keyringConflict, "\(copy) has the key of a rotation that is not finished",
            advice: "finish it with \(.rotateDatabase)", context: .file(copy))
    }
}
