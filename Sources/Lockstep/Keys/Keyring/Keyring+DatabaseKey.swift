/// Which key of a keyring a file has.
struct FileKey: Sendable, Equatable {
    /// The entry of the database key from which it is derived.
    let entry: KeyringDocument.KeyEntry
    /// The identity of the file whose own key it is; nil for the key that several files can have.
    var file: [UInt8]?
    /// What the file begins with; nil for the salt of the shared key.
    var salt: [UInt8]?

    /// The version of the database key.
    var version: UInt32 { entry.version }
    /// What becomes of the database key.
    var state: KeyState { entry.state }

    /// The salt that is recorded of a database under it; nil unless the key is that database's own.
    func salt(of database: [UInt8]) -> [UInt8]? { file == database ? salt : nil }
}

extension Keyring {
    /// The active key of files that the keyring does not record. A file that is there can have another:
    /// ``databaseKey(for:)`` determines from the file which one it is.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    package borrowing func activeDatabaseKey() throws(LockstepError) -> DatabaseKey {
        try openingKey(FileKey(entry: activeDatabaseKeyEntry()))
    }

    /// The database key of one version that several files can have.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the key does not exist or was destroyed.
    package borrowing func databaseKey(version: UInt32) throws(LockstepError) -> DatabaseKey {
        try withForks(versionKey(version).shared())
    }

    /// The key of a file, without what opening compares.
    /// - Throws: as ``databaseKey(version:)``.
    borrowing func databaseKey(_ key: FileKey) throws(LockstepError) -> DatabaseKey {
        try withForks(Self.derive(key, from: versionKey(key.version)))
    }

    /// The key of a file, with what opening compares.
    /// - Parameter identity: The identity that a new file gets; nil for a random one.
    /// - Throws: as ``databaseKey(version:)``.
    borrowing func openingKey(
        _ found: FileKey, ofNew identity: [UInt8]? = nil
    ) throws(LockstepError) -> DatabaseKey {
        let version = try versionKey(found.version)
        var key = try withForks(Self.derive(found, from: version))
        key.origin = try origin(found.entry, version)
        key.origin?.newDatabase = identity
        return key
    }

    /// A key for a file that is about to be made for this database, and what to record of it. Its salt is new.
    /// - Parameter identity: The database's identity; nil for a file that the keyring will not record.
    borrowing func newFileKey(
        of identity: [UInt8]?, _ entry: KeyringDocument.KeyEntry
    ) throws(LockstepError) -> FileKey {
        guard let identity else { return FileKey(entry: entry) }
        return FileKey(entry: entry, file: identity, salt: try Random.bytes(DatabaseKey.saltLength))
    }

    private static func derive(
        _ key: FileKey, from version: borrowing VersionKey
    ) throws(LockstepError) -> DatabaseKey {
        guard let file = key.file, let salt = key.salt else { return try version.shared() }
        return try version.own(of: file, salt: salt)
    }

    private borrowing func withForks(_ key: consuming DatabaseKey) -> DatabaseKey {
        var key = key
        for file in document.files {
            if let origin = file.origin { key.forks[file.database] = origin }
        }
        return key
    }

    /// The database key of one version.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the key does not exist or was destroyed.
    borrowing func versionKey(_ version: UInt32) throws(LockstepError) -> VersionKey {
        try requireDatabasePurpose()
        return VersionKey(version: version, try key(.database, version: version), database: subjectID)
    }

    /// The entry of the active database key.
    borrowing func activeDatabaseKeyEntry() throws(LockstepError) -> KeyringDocument.KeyEntry {
        try requireDatabasePurpose()
        guard let active = document.keys.first(where: { $0.state == .active }) else {
            throw KeyringDocument.malformed("it has no active database key")
        }
        return active
    }

    /// - Throws: ``LockstepError/Code/keyringMismatch``.
    borrowing func requireDatabasePurpose() throws(LockstepError) {
        guard purpose == .database else {
            throw LockstepError(
                .keyringMismatch, "a \(purpose.rawValue) keyring does not open database files",
                hint: "give the database keyring, <name>.database.keyring")
        }
    }

    /// The entry of the database key with this version.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if there is none.
    borrowing func entry(of version: UInt32) throws(LockstepError) -> KeyringDocument.KeyEntry {
        document.keys[try index(of: .database, version)]
    }

    // MARK: Rotation

    /// The version of the key to rotate to: the pending key of an unfinished rotation, or a new key.
    /// - Parameters:
    ///   - isFresh: Always makes a new key: anyone who knows the active key may know the pending one.
    ///   - givenUp: What becomes of the pending one then: destroyed, or compromised if a database can have it already.
    package mutating func nextDatabaseKey(
        isFresh: Bool, leaving givenUp: KeyState = .destroyed, today: CalendarDay = .today
    ) throws(LockstepError) -> UInt32 {
        let pending = document.keys.filter { $0.kind == .database && $0.state == .pending }
        if !isFresh, let last = pending.last { return last.version }
        for entry in pending {
            try setState(.database, version: entry.version, to: givenUp, today: today)
        }
        return try addKey(.database, state: .pending, today: today)
    }

    /// Whether databases can get this key.
    borrowing func isUsable(_ version: UInt32) throws(LockstepError) -> Bool {
        let state = document.keys[try index(of: .database, version)].state
        return state == .pending || state == .active
    }

    /// Activates a pending key, which retires the previously active key, unless a rotation of another database has done
    /// so. Moves the key that it replaces to `state`: retired or compromised.
    /// - Parameter replaced: The key that the file had; nil for the active key.
    /// - Returns: The replaced version.
    @discardableResult
    package mutating func promoteDatabaseKey(
        _ version: UInt32, replacing replaced: UInt32? = nil, leaving state: KeyState, today: CalendarDay = .today
    ) throws(LockstepError) -> UInt32 {
        let active = try activeDatabaseKeyEntry().version
        let old = replaced ?? active
        if active != version {
            try setState(.database, version: version, to: .active, today: today)
        }
        let isSo = document.keys.contains {
            $0.kind == .database && $0.version == old && $0.state == state
        }
        if state != .retired, !isSo {
            try setState(.database, version: old, to: state, today: today)
        }
        return old
    }
}
