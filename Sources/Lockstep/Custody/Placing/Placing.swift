internal import SystemPackage

/// Gives a new file its database's name, under a key of a keyring.
///
/// While a job makes the file, someone else can change the keyring: retire the key, for example, since others know it.
/// So the file gets its name while nobody can change the keyring, and only if its key is still the active one.
/// Otherwise the job makes the file again.
struct Placing {
    let keyringFile: KeyringFile
    /// The path of the database.
    let database: FilePath
    /// Whether the file may claim to be a database that lies elsewhere: the caller makes it another one.
    var mayBeSecond = false

    /// The key of the file is no longer the active one, and nothing was placed.
    private struct KeyHasChanged: Error {}
    private static let attempts = 3

    /// - Parameters:
    ///   - keyring: The keyring as opened from its file; afterwards the newest version.
    ///   - make: Makes the file under the keyring's active key, and calls its second argument with the finished file
    ///     and with what gives the file its name.
    /// - Throws: ``LockstepError/Code/busy`` if the keyring gets another active key each time; any error from `make`.
    func run<Result>(
        _ keyring: inout Keyring,
        _ make: (borrowing Keyring, (FilePath, () throws -> Void) throws -> Void) throws -> Result
    ) throws -> Result {
        for _ in 0..<Self.attempts {
            do {
                let version = try keyring.activeDatabaseKeyEntry().version
                let result = try make(keyring) { file, rename in
                    try place(file, version, keyring, rename)
                }
                // The database has its place. An error now would make the caller undo its keyring; whatever is wrong
                // with the keyring's file, its next use reports.
                _ = try? keyringFile.reread(&keyring)
                return result
            } catch is KeyHasChanged {
                try keyringFile.reread(&keyring)
            }
        }
        throw LockstepError(
            .busy, "the active key of \(keyringFile.path) has changed \(Self.attempts) times meanwhile",
            hint: "run it again once nobody changes the keyring", context: .file(keyringFile.path))
    }

    private func place(
        _ file: FilePath, _ version: UInt32, _ keyring: borrowing Keyring,
        _ rename: () throws -> Void
    ) throws {
        let content = try content(of: file, version, keyring)
        try keyringFile.whileLocked(keyring) { current in
            guard try current.activeDatabaseKeyEntry().version == version else {
                throw KeyHasChanged()
            }
            let path = try keyringFile.spelling(of: database)
            if !mayBeSecond { try requireOnly(content, version, current) }
            guard current.signer == nil, content.role == .original, let id = content.database,
                try current.mayRecord(id, at: path, in: keyringFile)
            else { return try rename() }
            // A database that the keyring does not record does not open, so that a new one is recorded first. One that
            // it records opens under either key until the new file is in place, and only then under the new one alone.
            let isNew = !FileAccess.exists(database)
            if !isNew { try rename() }
            let unmade = isNew ? current.unmadeDatabase(at: path) : nil
            current.document.files.removeAll { $0 == unmade }
            try current.list(id, under: version, at: path)
            try keyringFile.write(&current)
            if isNew { try rename() }
        }
    }

    /// - Throws: ``LockstepError/Code/twoFiles`` for the content of a database that the keyring records and that still
    ///   lies where it was seen: nothing would show which is the database.
    private func requireOnly(_ content: KeyringTable.Content, _ version: UInt32, _ keyring: borrowing Keyring) throws {
        guard let known = keyring.record(of: content.database ?? []),
            let entry = keyring.document.keys.first(where: {
                $0.kind == .database && $0.version == version
            })
        else { return }
        do {
            try IdentityCheck.require(
                content, keyring.origin(entry), at: database, keyring.databaseKey(version: version))
        } catch let error as LockstepError where error.code == .twoFiles {
            let place = try keyringFile.place(of: known).map { "\($0)" } ?? "elsewhere"
            throw LockstepError(
                .twoFiles,
                "the original is an export of the database \(place), which \(keyringFile.path) records: nothing would "
                    + "show which of the two is the database",
                hint:
                    "put it under a keyring of its own; or make a backup of that database, and a fork of the backup",
                context: .file(database))
        }
    }

    /// What the finished file says of itself.
    private func content(
        of file: FilePath, _ version: UInt32, _ keyring: borrowing Keyring
    ) throws -> KeyringTable.Content {
        var reading = ConnectionOptions()
        reading.isQueryOnly = true
        reading.closesFullText = true
        let key = try keyring.databaseKey(version: version)
        let connection = try Connection.open(file, key: key, options: reading)
        return try connection.with(rights: .engine) { try KeyringTable.read(connection) }
    }
}

extension Keyring {
    /// Whether a database of this identity at this path can be recorded at once: it is new, or lies where it was seen.
    fileprivate borrowing func mayRecord(
        _ id: [UInt8], at path: FilePath, in file: KeyringFile
    ) throws -> Bool {
        guard let known = record(of: id) else { return true }
        return known.path == nil || known.path == path
    }
}
