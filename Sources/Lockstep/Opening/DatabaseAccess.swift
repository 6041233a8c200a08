public import SystemPackage

/// What opens a database for a job, such as a ``Verification`` or a ``Restore``: the credential that every job takes.
///
///     var access = try DatabaseAccess(to: "films.db", key: .keyFile("my.key"))
///     let report = try await JobThread.run { try Verification("films.db").run(access) }
///
/// It has the opened keyring, which may record other databases, too: the same access serves jobs on each of them and on
/// their backups. A job that changes the keyring takes the access `inout`, and the access has the newest version
/// afterwards. With a key alone, jobs that need the keyring are refused with ``LockstepError/Code/misuse``.
public struct DatabaseAccess: ~Copyable, Sendable {
    /// Nil where a key is all there is.
    private var keyring: Keyring?
    /// The keyring's file; nil for a keyring that is not from a file.
    private let file: KeyringFile?
    /// Opens the keyring again if someone has given it another ring key; nil where that takes the caller.
    private let reopen: (@Sendable () throws -> Keyring)?
    /// Nil where there is a keyring.
    private let rawKey: DatabaseKey?
    /// Other keys that backups can have, where there is no keyring.
    private let formerKeys: [SharedSecret<DatabaseKey>]

    /// Opens the keyring of a database, with what a store is opened with.
    ///
    /// The database is not looked at: it can be missing, for a ``Restore``. A passphrase takes about half a second.
    /// - Parameters:
    ///   - path: The database.
    ///   - key: What opens its keyring.
    ///   - keyring: Its keyring; nil for the one beside the database.
    ///   - ring: The ring that the keyring must have; nil for any, or for the one that its identity file remembers.
    /// - Throws: ``LockstepError/Code/keyringMissing``; ``LockstepError/Code/otherRing``;
    ///   ``LockstepError/Code/noUsableSlot`` and ``LockstepError/Code/slotNotOpened`` if the key does not open it;
    ///   ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose;
    ///   ``LockstepError/Code/permissionsTooOpen``; any error of reading it and the key.
    public init(to path: FilePath, key: KeySource, keyring: KeyringFile? = nil, ring: RingID? = nil) throws {
        let file = keyring ?? .database(beside: path)
        guard file.exists else { throw Self.missing(file, of: path) }
        let open = { @Sendable in try file.open(key, ring: ring) }
        try self.init(open(), file, reopen: open)
    }

    /// Access by a keyring that is open already.
    ///
    /// Jobs that change the keyring need one from a file.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    public init(keyring: consuming Keyring) throws {
        let file = keyring.file
        try self.init(keyring, file, reopen: nil)
    }

    /// Access by a key alone. Backups from before the last key rotation are not recognised as the database's.
    public init(rawKey: consuming DatabaseKey) {
        self.init(rawKey, [])
    }

    /// Access by the key that a keyring has for the database at `path`, for jobs that change nothing in the keyring.
    /// - Throws: as ``Keyring/databaseKey(for:)``.
    package init(_ keyring: borrowing Keyring, for path: FilePath) throws {
        self.init(try keyring.databaseKey(for: path), try keyring.fileKeys(of: path))
    }

    private init(_ rawKey: consuming DatabaseKey, _ formerKeys: [SharedSecret<DatabaseKey>]) {
        keyring = nil
        file = nil
        reopen = nil
        self.rawKey = consume rawKey
        self.formerKeys = formerKeys
    }

    private init(_ keyring: consuming Keyring, _ file: KeyringFile?, reopen: (@Sendable () throws -> Keyring)?) throws {
        try keyring.requireDatabasePurpose()
        self.keyring = consume keyring
        self.file = file
        self.reopen = reopen
        rawKey = nil
        formerKeys = []
    }

    // MARK: Keys

    /// The key of the database at `path`, also after an interrupted rotation.
    /// - Throws: as ``Keyring/databaseKey(for:)``.
    public borrowing func databaseKey(for path: FilePath) throws -> DatabaseKey {
        try key { try $0.databaseKey(for: path) }
    }

    /// The key of a backup or another copy at `path`: any key of the keyring.
    /// - Throws: as ``Keyring/databaseKey(ofBackup:)``.
    public borrowing func databaseKey(ofBackup path: FilePath) throws -> DatabaseKey {
        try key { try $0.databaseKey(ofBackup: path) }
    }

    /// The key of a new file.
    borrowing func newKey() throws -> DatabaseKey { try key { try $0.activeDatabaseKey() } }

    /// The keys that files of the database at `path` can have.
    borrowing func knownKeys(of path: FilePath) throws -> [SharedSecret<DatabaseKey>] {
        switch keyring {
        case .some(let keyring): return try keyring.fileKeys(of: path)
        case .none: return formerKeys + [SharedSecret(try databaseKey(for: path))]
        }
    }

    private borrowing func key(_ find: (borrowing Keyring) throws -> DatabaseKey) throws -> DatabaseKey {
        switch keyring {
        case .some(let keyring): return try find(keyring)
        case .none: break
        }
        switch rawKey {
        case .some(let key): return try key.clone()
        case .none: throw LockstepError(.misuse, "the access has neither a keyring nor a key")
        }
    }

    /// Opens a database.
    package borrowing func open(
        _ path: FilePath, _ options: ConnectionOptions
    ) throws -> Connection {
        try Connection.open(path, key: databaseKey(for: path), options: options)
    }

    // MARK: Keyrings

    /// Runs `body` with the keyring, or with nil where there is only a key.
    borrowing func withKeyring<Result>(
        _ body: (borrowing Keyring) throws -> Result
    ) throws -> Result? {
        switch keyring {
        case .some(let keyring): try body(keyring)
        case .none: nil
        }
    }

    /// The keyring's file; nil where there is none.
    var keyringFile: KeyringFile? { file }

    /// Whether there is a keyring that jobs can change.
    var hasKeyring: Bool { file != nil }

    /// Runs a job that changes the keyring.
    /// - Parameter job: Its name in the error.
    /// - Throws: ``LockstepError/Code/misuse`` if there is no keyring from a file;
    ///   ``LockstepError/Code/keyringChanged`` if someone has given it another ring key, and it cannot be opened again;
    ///   any error from `body`.
    mutating func change<Result>(
        for job: String, _ body: (inout Keyring, KeyringFile) throws -> Result
    ) throws -> Result {
        guard let file else { throw Self.needsKeyring(job) }
        guard var keyring = keyring.take() else { throw Self.needsKeyring(job) }
        do {
            _ = try file.reread(&keyring, reopen)
            let result = try body(&keyring, file)
            self.keyring = consume keyring
            return result
        } catch {
            self.keyring = consume keyring
            throw error
        }
    }

    // MARK: Errors

    private static func needsKeyring(_ job: String) -> LockstepError {
        LockstepError(
            .misuse, "\(job) writes the database's keyring, and the access has none from a file",
            hint:
                "use `DatabaseAccess(to:key:)` or `DatabaseAccess(keyring:)` with a keyring from a `KeyringFile`"
        )
    }

    private static func missing(_ file: KeyringFile, of path: FilePath) -> LockstepError {
        LockstepError(
            .keyringMissing, "the keyring of \(path), \(file.path), is not there",
            hint:
                "put the keyring back, or name it with `keyring:`; a database without one is opened by "
                + "`DatabaseAccess(rawKey:)`", context: .file(file.path))
    }
}

extension KeyringFile {
    /// Opens the keyring with a source of keys.
    /// - Parameter ring: The ring that it must have; nil for any.
    /// - Throws: ``LockstepError/Code/otherRing``.
    func open(_ key: KeySource, ring: RingID? = nil) throws -> Keyring {
        var opening: SlotDescription.Kind?
        let keyring = try open { slot in
            opening = slot.kind
            return try key.credential(for: slot.kind)
        }
        if let ring { try keyring.require([ring]) }
        // Anybody can have made what opens for a recipient.
        if case .identity(let path) = key.kind, case .identity = opening {
            try KnownRings(of: path).meet(keyring, isNamed: ring != nil)
        }
        return keyring
    }
}
