internal import SystemPackage

/// Gives a new file its database's name, under a key of a keyring.
///
/// While a job makes the file, someone else can change the keyring: retire the key, for example, since others know it.
/// So the file gets its name while nobody can change the keyring, and only if its key is still the active one.
/// Otherwise the job makes the file again.
///
/// Which database the file then is, its path decides: what is put where a database was last seen becomes that one, so
/// that a copy which is refreshed from another database's backup stays what it is. A file of a database that still lies
/// elsewhere becomes one of its own, as by a ``Fork``, or is refused. Any other is the database that it says. The file
/// gets its identity before its name, so that it never claims to be another one.
struct Placing {
    let keyringFile: KeyringFile
    /// The path of the database.
    let database: FilePath
    /// Whether the file is a backup, which the caller puts back: it becomes the database at the path, whichever it was,
    /// and otherwise one of its own.
    var isBackup = false

    /// The key of the file is no longer the right one, and nothing was placed.
    private struct KeyHasChanged: Error {
        /// The identity that the file gets.
        var identity: [UInt8]?
    }
    private static let attempts = 3

    /// Which identity a file gets, on which its key depends: it is made again if that was wrong.
    enum Guess {
        /// A new one, unless the file says another.
        case new
        /// That of a backup's database, or of the database that was last seen at the path; nil if the backup has none.
        case backup(of: [UInt8]?)
        /// The one from whose key the file is a copy; nil for a file under a key that several can have.
        case copy(of: [UInt8]?)
    }

    /// - Parameters:
    ///   - keyring: The keyring as opened from its file; afterwards the newest version.
    ///   - guess: Which identity the file gets.
    ///   - make: Makes the file under the key, which comes from the keyring's active key, and calls its last argument with
    ///     the finished file and with what gives the file its name.
    /// - Returns: What `make` returns, and what became of a file that has another identity than it had.
    /// - Throws: ``LockstepError/Code/busy`` if the keyring gets another active key each time;
    ///   ``LockstepError/Code/twoFiles``; any error from `make`.
    @discardableResult
    func run<Result>(
        _ keyring: inout Keyring, as guess: Guess,
        _ make: (borrowing Keyring, borrowing DatabaseKey, (FilePath, () throws -> Void) throws -> Void) throws ->
            Result
    ) throws -> (result: Result, fork: Fork.Report?) {
        var identity = try identity(guess, keyring)
        // One more, for a file that says another identity than expected.
        for _ in 0...Self.attempts {
            do {
                let isRecorded = identity.map { keyring.record(of: $0) != nil } ?? false
                // What a signed keyring does not record would never be found again.
                let own = keyring.signer == nil || isRecorded ? identity : nil
                let key = try keyring.newFileKey(of: own, keyring.activeDatabaseKeyEntry())
                let opening = try keyring.openingKey(key, ofNew: own)
                var fork: Fork.Report?
                let result = try make(keyring, opening) { file, rename in
                    fork = try place(file, key, opening, keyring, rename)
                }
                // The database has its place. An error now would make the caller undo its keyring; whatever is wrong
                // with the keyring's file, its next use reports.
                _ = try? keyringFile.reread(&keyring)
                return (result, fork)
            } catch let change as KeyHasChanged {
                if let own = change.identity { identity = own }
                try keyringFile.reread(&keyring)
            }
        }
        throw LockstepError(
            .busy, "the active key of \(keyringFile.path) has changed \(Self.attempts) times meanwhile",
            hint: "run it again once nobody changes the keyring", context: .file(keyringFile.path))
    }

    private func identity(_ guess: Guess, _ keyring: borrowing Keyring) throws -> [UInt8]? {
        switch guess {
        case .new: return try Random.bytes(KeyringTable.idLength)
        case .copy(of: let identity): return identity
        case .backup(of: let identity):
            let path = try keyringFile.spelling(of: database)
            guard let identity else { return keyring.record(at: path, besides: nil)?.database }
            let fresh = try Random.bytes(KeyringTable.idLength)
            return try record(identity, path, fresh, keyring).database
        }
    }

    private func place(
        _ file: FilePath, _ key: FileKey, _ opening: borrowing DatabaseKey, _ keyring: borrowing Keyring,
        _ rename: () throws -> Void
    ) throws -> Fork.Report? {
        let content = try IdentityCheck.content(of: file, opening)
        var fork: Fork.Report?
        try keyringFile.whileLocked(keyring) { current in
            guard try current.activeDatabaseKeyEntry().version == key.version else { throw KeyHasChanged() }
            guard current.signer == nil, let id = content.database else { return try rename() }
            let path = try keyringFile.spelling(of: database)
            guard content.role == .original else {
                // A copy, such as what a salvage makes, is no database: the one that was seen at the free path is gone.
                if !FileAccess.exists(database), current.record(at: path, besides: id) != nil {
                    current.leave(path, to: id)
                    try keyringFile.write(&current)
                }
                return try rename()
            }
            let fresh = try key.file ?? Random.bytes(KeyringTable.idLength)
            var record = try record(id, path, fresh, current)
            guard record.database == key.file else { throw KeyHasChanged(identity: record.database) }
            (record.keyVersion, record.salt) = (key.version, key.salt)
            if record.database != id { fork = try report(record, of: id, current) }
            if isBackup || record.database != id { record.seen = try amend(file, record, opening, current) }
            // A database that the keyring does not record does not open, so that a new one is recorded first. One that
            // it records opens under either key until the new file is in place, and only then under the new one alone.
            let isNew = !FileAccess.exists(database) || current.record(of: record.database) == nil
            if !isNew { try rename() }
            let unmade = isNew ? current.unmadeDatabase(at: path) : nil
            if unmade?.database != record.database { current.document.files.removeAll { $0 == unmade } }
            try current.list(record)
            current.leave(path, to: record.database)
            try keyringFile.write(&current)
            if isNew { try rename() }
        }
        return fork
    }

    /// What the keyring is to record of the file, but for its key.
    /// - Parameter fresh: The identity of a new database.
    /// - Throws: ``LockstepError/Code/twoFiles``.
    private func record(
        _ id: [UInt8], _ path: FilePath, _ fresh: [UInt8], _ keyring: borrowing Keyring
    ) throws -> DatabaseRecord {
        let known = keyring.record(of: id)
        let version = try keyring.activeDatabaseKeyEntry().version
        // An adopted file that no database of the keyring was exported to is a new one, wherever it lies.
        if isBackup || known != nil, let there = keyring.record(at: path, besides: id) {
            return DatabaseRecord(
                database: there.database, keyVersion: version, seen: there.seen, path: path,
                origin: known == nil ? there.origin : id)
        }
        guard let known else { return DatabaseRecord(database: id, keyVersion: version, path: path) }
        guard known.path != path, let place = try keyringFile.place(of: known), !IdentityCheck.isSame(place, database),
            try keyring.lies(known, at: place)
        else {
            return DatabaseRecord(
                database: id, keyVersion: version, seen: known.seen, path: path, origin: known.origin)
        }
        guard isBackup else { throw second(place) }
        return DatabaseRecord(
            database: keyring.record(of: fresh) == nil ? fresh : try Random.bytes(KeyringTable.idLength),
            keyVersion: version, path: path, origin: id)
    }

    private func report(
        _ record: DatabaseRecord, of id: [UInt8], _ keyring: borrowing Keyring
    ) throws -> Fork.Report {
        let known = keyring.record(of: id)
        return try Fork.Report(
            database: record.database, origin: id, original: known.flatMap { try keyringFile.place(of: $0) },
            isRenewed: keyring.record(of: record.database) != nil)
    }

    /// Gives the file its identity, and makes it record the keyring: it is put back on purpose, however old it is.
    /// - Returns: The epoch of the keyring that the file has recorded.
    private func amend(
        _ file: FilePath, _ record: DatabaseRecord, _ key: borrowing DatabaseKey, _ keyring: borrowing Keyring
    ) throws -> UInt64 {
        var writing = ConnectionOptions()
        writing.isScratch = true
        writing.closesFullText = true
        let connection = try Connection.open(file, key: key.withoutOrigin(), options: writing)
        try connection.with(rights: .engine) {
            try connection.write { connection in
                guard try KeyringTable.database(connection) != record.database else { return }
                try KeyringTable.fork(as: record.database, connection)
            }
        }
        do {
            try keyring.remember(in: connection)
        } catch let error as LockstepError where error.code == .keyringOutdated {
            // The backup has seen a newer keyring, which the next opening reports.
            return record.seen
        }
        return keyring.epoch
    }

    /// The content of a database that the keyring records, and that still lies where it was seen: nothing would show
    /// which is the database.
    private func second(_ place: FilePath) -> LockstepError {
        LockstepError(
            .twoFiles,
            "the original is an export of the database \(place), which \(keyringFile.path) records: nothing would "
                + "show which of the two is the database",
            hint:
                "put it under a keyring of its own; or make a backup of that database, and a fork of the backup",
            context: .file(database))
    }
}
