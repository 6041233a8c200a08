internal import SystemPackage

// Which files need a database key
// ===============================
//
// A keyring's records say under which key it saw each database, and they can be wrong: someone can have put another file
// in a database's place. So a key is destroyed by what the files say.
// Its first 16 bytes, or the MAC of a page, show under which key a file was made, and opening it shows which database it is.
//
// - What lies where a database was last seen needs its key, whatever it is.
// - Any other file in the folder of a database needs its key unless it says that it is a copy: a backup. A file that
//   was made with `cp` does not say so, and one that is damaged says nothing.
// - A database that lies elsewhere, as named, is itself only if no other file has its place.

/// Looks for the files of a keyring's databases, and for those that are under one of its keys.
struct EncryptedFiles {
    /// The version of the key.
    let version: UInt32
    let keyringFile: KeyringFile
    /// Connection options, used only for the functions and collations that the schemas need.
    let options: ConnectionOptions

    /// What needs the key.
    private(set) var uses: [KeyUse] = []
    /// Backups under the key.
    private(set) var backups: [FilePath] = []
    /// The databases that were found, and where.
    private(set) var found: [[UInt8]: FilePath] = [:]
    /// The files that were looked at, without symbolic links.
    private var seen: Set<FilePath> = []

    init(version: UInt32, keyringFile: KeyringFile, options: ConnectionOptions) {
        (self.version, self.keyringFile, self.options) = (version, keyringFile, options)
    }

    /// Looks at a file that the caller names as a database.
    /// - Throws: Any error of opening it.
    mutating func lookAt(named path: FilePath, _ keyring: inout Keyring) throws {
        guard try isNew(path) else { return }
        let entry = try keyring.keyEntry(of: path)
        if entry.version == version { uses.append(.encrypts(path)) }
        let content = try content(of: path, entry, keyring)
        // A copy proves nothing of the database, and neither does a file beside it.
        guard let database = content.database, content.role == .original else { return }
        do {
            try keyring.requireNoOther(than: path, database, in: keyringFile)
        } catch let error as LockstepError where error.code == .twoFiles {
            return
        }
        found[database] = path
        if entry.version != version { try keyring.relist(database, under: entry) }
    }

    /// Looks at each recorded database where it was last seen.
    mutating func lookAtPlaces(_ keyring: inout Keyring) throws {
        for record in keyring.document.files {
            guard let place = try keyringFile.place(of: record), let entry = try keyring.keyEntry(ofFileAt: place)
            else {
                continue
            }
            let isNew = try isNew(place)
            if isNew, entry.version == version { uses.append(.encrypts(place)) }
            // One that is damaged or in use is there, too.
            guard try keyring.lies(record, at: place) else { continue }
            found[record.database] = place
            if entry.version != version { try keyring.relist(record.database, under: entry) }
        }
    }

    /// Looks at all other files in the folders of databases.
    mutating func lookAround(_ keyring: borrowing Keyring) throws {
        for folder in try folders(keyring) {
            for name in (try? Folder.list(folder).files) ?? [] {
                let path = folder.appending(name)
                guard try isNew(path), (try? DatabaseFile(path)) != nil else { continue }
                let found = try keyring.keyEntry(ofFileAt: path)
                if let found, found.version == version {
                    try lookAt(path, keyring.databaseKey(found))
                } else if let former = SetAsideLog.database(ofCopy: name), found == nil,
                    try mayBeOwn(folder.appending(former), keyring)
                {
                    // Of one whose first bytes are damaged nobody knows the key.
                    uses.append(.setAside(path))
                }
            }
        }
    }

    /// Whether a copy of the database at this path can be of one of the keyring: it lies there, or it can have been moved.
    private func mayBeOwn(_ former: FilePath, _ keyring: borrowing Keyring) throws -> Bool {
        let places = try keyring.document.files.compactMap { try keyringFile.place(of: $0) } + found.values
        if places.contains(where: { IdentityCheck.isSame($0, former) }) { return true }
        return keyring.document.files.count <= 1 && !FileAccess.exists(former)
    }

    private mutating func lookAt(_ path: FilePath, _ key: borrowing DatabaseKey) {
        if SetAsideLog.isCopy(path) { return uses.append(.setAside(path)) }
        guard let content = try? IdentityCheck.content(of: path, key) else { return uses.append(.encrypts(path)) }
        guard content.role == .copy else {
            if let database = content.database, found[database] == nil { found[database] = path }
            return uses.append(.encrypts(path))
        }
        backups.append(path)
    }

    /// The folders in which databases were seen or named.
    private func folders(_ keyring: borrowing Keyring) throws -> [FilePath] {
        let places = try keyring.document.files.compactMap { try keyringFile.place(of: $0) }
        let folders = places.map { AtomicFile.parent(of: $0) } + seen.map { AtomicFile.parent(of: $0) }
        return Set(folders).sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
    }

    private mutating func isNew(_ path: FilePath) throws -> Bool { try seen.insert(RealPath.of(path)).inserted }

    private func content(
        of path: FilePath, _ entry: FileKey, _ keyring: borrowing Keyring
    ) throws -> KeyringTable.Content {
        var reading = options.ofSchema
        reading.isQueryOnly = true
        let isInUse = entry.state == .active || entry.state == .pending
        // In use, it must not have seen a newer keyring than this one.
        let key = isInUse ? try keyring.databaseKey(for: path) : try keyring.databaseKey(ofBackup: path)
        return try KeyringTable.read(Connection.open(path, key: key, options: reading))
    }
}
