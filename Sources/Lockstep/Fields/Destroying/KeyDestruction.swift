public import SystemPackage

/// Destroys a key that nothing needs any more. What the key still opens would be lost for good, so the job looks for
/// it first, and refuses with a list of what it finds.
///
/// - A **database key** encrypts databases that the keyring records. The job looks at each where it was last seen, at
///   those that are named, and at all other files in the same folders. None of them may be under the key, but backups:
///   what is only a copy is counted, and stops opening. A recorded database that is found nowhere must be named or given
///   up.
/// - A **field key** seals cells in the databases that the fields keyring remembers, and an **index key** makes tokens
///   there. Each of them must be named, and no column of it may have cells, or an index, under the key. So must each
///   fork of them that the keyring does not remember yet, as far as the keyrings of the named databases record it.
/// - A **manifest key** signs only. Nothing becomes unreadable without it.
///
/// A recorded database that no longer exists is given up by its identity, in ``lost``.
public struct KeyDestruction: Sendable {
    /// What the key is for.
    public let kind: KeyKind
    /// The key's version.
    public let version: UInt32
    /// The file of the keyring that has the key.
    package internal(set) var keyringFile: KeyringFile
    /// The files of the databases that might use the key.
    public var databases: [FilePath] = []
    /// The identities, 16 bytes each, of recorded databases that are given up: what the key opens in them is lost.
    public var lost: Set<[UInt8]> = []
    /// Connection options, used only for the functions and collations that the schemas need.
    public var options = ConnectionOptions()

    /// Prepares the destruction of a key without carrying it out.
    package init(of kind: KeyKind, version: UInt32, keyring keyringFile: KeyringFile) {
        (self.kind, self.version, self.keyringFile) = (kind, version, keyringFile)
    }

    /// What the destruction of a key takes with it.
    public struct Report: Sendable, Hashable {
        /// The backups, as far as they lie beside databases of the keyring, that do not open any more.
        public internal(set) var backups: [FilePath] = []
    }

    /// Looks into the databases, destroys the key and writes the keyring. Blocks; reads each sealed column once for a
    /// field key, and one page of each database for any other; for a database key also one of each other file under it in
    /// the same folders.
    /// - Parameters:
    ///   - keyring: The keyring as opened from ``keyringFile``; afterwards its newest version. After an error, open it
    ///     again.
    ///   - databaseKey: Returns the key that opens a database. For a database keyring it is not called.
    /// - Throws: ``LockstepError/Code/keyInUse`` with the list of what stands in the way;
    ///   ``LockstepError/Code/keyUnavailable`` if the key does not exist; ``LockstepError/Code/keyringConflict`` if it
    ///   is active, already destroyed or part of an unfinished rotation, and for a keyring that is signed;
    ///   ``LockstepError/Code/keyringChanged`` for one that is changed again and again meanwhile, or whose ring was;
    ///   ``LockstepError/Code/locked`` if a job uses the keyring for longer than ``FileLockWait`` allows;
    ///   ``LockstepError/Code/notFound`` if the keyring does not record a lost database; any error of opening a
    ///   database.
    @discardableResult
    package func run(
        _ keyring: inout Keyring, databaseKey: (FilePath) throws -> DatabaseKey
    ) throws -> Report {
        // A job that uses a key now would find it gone in the middle.
        let lock = try UseLock(keyringFile.path, .exclusive)
        defer { _ = lock }
        // Writers of the keyring that need none of its keys do not wait for this.
        for _ in 0..<Self.attempts {
            try keyringFile.reread(&keyring)
            let report = try ReadAgain().run(rereading: { try keyringFile.reread(&keyring) }) {
                try destroy(&keyring, databaseKey)
            }
            do {
                try keyringFile.save(&keyring)
                return report
            } catch let error as LockstepError where error.code == .keyringChanged {
                continue
            }
        }
        throw LockstepError(
            .keyringChanged, "someone else has changed \(keyringFile.path) \(Self.attempts) times meanwhile",
            hint: "run it again once nobody changes the keyring", context: .file(keyringFile.path))
    }

    private static let attempts = 3

    /// Destroys the key in memory.
    private func destroy(
        _ keyring: inout Keyring, _ databaseKey: (FilePath) throws -> DatabaseKey
    ) throws -> Report {
        try keyring.requireIdle(kind, version, to: .destroyed)
        var report = Report()
        let uses =
            switch kind {
            case .database: try encryptedFiles(&keyring, &report)
            case .field, .index: try sealedColumns(&keyring, databaseKey)
            case .manifest: [KeyUse]()
            }
        guard uses.isEmpty else { throw inUse(uses) }
        try keyring.destroyKey(kind, version: version)
        return report
    }

    // MARK: Database keys

    /// Looks at the files, and corrects the records of those that are under another key than recorded.
    private func encryptedFiles(_ keyring: inout Keyring, _ report: inout Report) throws -> [KeyUse] {
        var search = EncryptedFiles(version: version, keyringFile: keyringFile, options: options)
        for path in databases { try search.lookAt(named: path, &keyring) }
        try search.lookAtPlaces(&keyring)
        try search.lookAround(keyring)
        report.backups = search.backups
        let recorded = keyring.document.files.filter { $0.keyVersion == version }.map(\.database)
        let uses = try search.uses + unseen(recorded, search.found, keyring)
        // What else there is of them, such as backups under another key, is found by their identities alone.
        for index in keyring.document.files.indices where lost.contains(keyring.document.files[index].database) {
            keyring.document.files[index].path = nil
        }
        return uses
    }

    // MARK: Keys of a dataset

    private func sealedColumns(
        _ keyring: inout Keyring, _ databaseKey: (FilePath) throws -> DatabaseKey
    ) throws -> [KeyUse] {
        let keys = try keyring.fieldKeys()
        var uses: [KeyUse] = []
        var seen: [[UInt8]: FilePath] = [:]
        var forks: [[UInt8]: [UInt8]] = [:]
        for path in databases {
            var reading = options.ofSchema
            reading.isQueryOnly = true
            reading.fieldKeys = [keys]
            let key = try databaseKey(path)
            forks.merge(key.forks) { $1 }
            let connection = try Connection.open(path, key: key, options: reading)
            // A copy can have been made after its database was converted, and after an older one was put back.
            if let database = try connection.databaseID(), !connection.isCopy { seen[database] = path }
            let columns = try connection.columns(under: kind, version, keys)
            guard columns.isEmpty else {
                uses.append(kind == .field ? .seals(path, columns: columns) : .indexes(path, columns: columns))
                continue
            }
            try renewRegistry(path, keys, &keyring, databaseKey)
        }
        let memory = keyring.sealedMemory
        let sealed = memory.records.filter(\.isSealed).map(\.database)
        return try uses + unseen(sealed + Self.unremembered(forks, memory), seen, keyring)
    }

    /// Forks of databases with sealed columns that the fields keyring does not remember yet: they have their cells.
    /// - Parameter forks: The databases that the others were forked from, as the databases' keyrings record them.
    private static func unremembered(
        _ forks: [[UInt8]: [UInt8]], _ memory: SealedMemory
    ) -> [[UInt8]] {
        forks.keys.filter { fork in
            guard memory.record(of: fork) == nil else { return false }
            var (next, passed): ([UInt8]?, Set<[UInt8]>) = (forks[fork], [])
            while let origin = next, passed.insert(origin).inserted {
                if let record = memory.record(of: origin) { return record.isSealed }
                next = forks[origin]
            }
            return false
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Authenticates a registry under the active key, if its MACs are under the key to be destroyed.
    private func renewRegistry(
        _ path: FilePath, _ keys: FieldKeys, _ keyring: inout Keyring, _ databaseKey: (FilePath) throws -> DatabaseKey
    ) throws {
        guard kind == .field else { return }
        var writing = options.ofSchema
        writing.fieldKeys = [keys]
        let connection = try Connection.open(path, key: databaseKey(path), options: writing)
        guard try connection.renewRegistry(from: version, keys) else { return }
        try keyringFile.remember(&keyring, sealedIn: connection)
    }

    // MARK: Pieces

    /// The recorded databases that were neither seen nor given up.
    private func unseen(
        _ recorded: [[UInt8]], _ seen: [[UInt8]: FilePath], _ keyring: borrowing Keyring
    ) throws -> [KeyUse] {
        for database in lost.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            if let path = seen[database] {
                throw LockstepError(
                    .misuse, "the database \(Hex.encode(database)) is not lost: \(path) is it, or is of it",
                    hint: "give up only a database whose file no longer exists", context: .file(path))
            }
            guard recorded.contains(database) else {
                throw LockstepError(
                    .notFound, "\(keyringFile.path) records no database \(Hex.encode(database)) that may use \(name)",
                    hint: "the list of what stands in the way has the identities", context: .file(keyringFile.path))
            }
        }
        return try recorded.filter { seen[$0] == nil && !lost.contains($0) }.map { database in
            .unseen(database, lastSeen: try keyring.record(of: database).flatMap { try keyringFile.place(of: $0) })
        }
    }

    private func inUse(_ uses: [KeyUse]) -> LockstepError {
        LockstepError(
            .keyInUse, "\(name) is not destroyed: " + uses.map(\.description).joined(separator: "; "),
            advice: advice(uses), context: .file(keyringFile.path))
    }

    private func advice(_ uses: [KeyUse]) -> LockstepError.Advice {
        var all: [LockstepError.Advice] = []
        for use in uses {
            let advice: LockstepError.Advice =
                switch use {
                case .encrypts:
                    "move a database to another key first: \(.rotateDatabase); move a copy that nobody needs away"
                case .setAside:
                    "recover what is in it with \(.salvage) of the database, or of the copy itself, and remove it and its log then"
                case .seals: "move these cells to the active field key first: \(.reseal)"
                case .indexes: "unseal these columns and seal them again, which makes new indexes"
                case .unseen:
                    """
                    name the file of each recorded database: \(.nameDatabases); give up one that no longer exists: \
                    \(.giveUpDatabase)
                    """
                }
            if !all.contains(advice) { all.append(advice) }
        }
        return all.dropFirst().reduce(all[0]) { "\($0); \($1)" }
    }

    /// The key's name in messages.
    private var name: String { "\(kind.rawValue) key \(version)" }
}
