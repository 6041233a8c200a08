internal import CSQLCipher
internal import SystemPackage

/// The files beside a database that another program wrote. Reading one in WAL mode creates some.
struct SideFiles {
    private let database: FilePath
    private let present: Set<String>

    init(of database: FilePath) {
        self.database = database
        present = Set(
            DatabaseFile.sideSuffixes.filter {
                FileAccess.exists(DatabaseFile.side($0, of: database))
            })
    }

    /// Removes the files that are new and empty, unless the database is in use.
    func removeNew() {
        // If that fails they stay, which does no harm.
        try? DatabaseFile(database, writable: true).whileExclusive {
            for suffix in DatabaseFile.sideSuffixes where !present.contains(suffix) {
                let side = DatabaseFile.side(suffix, of: database)
                guard suffix == "-shm" || (try? FileAccess.sizeOfRegularFile(side)) == 0 else {
                    continue
                }
                AtomicFile.remove(side)
            }
        }
    }
}

/// Opens databases that are not in Lockstep's format, for reading only: plaintext ones, and those of SQLCipher
/// 1 to 4 under a passphrase.
enum ExternalDatabase {
    /// Opens a plaintext SQLite database.
    static func openPlaintext(_ path: FilePath) throws -> Connection {
        switch try Diagnosis.examinePlaintext(path) {
        case .plaintext(isCut: false): break
        case let other:
            throw other.error(path)
                ?? LockstepError(
                    .malformedInput, "\(path) is not a plaintext SQLite database",
                    hint: "if it is encrypted, give its passphrase or keyring", context: .file(path)
                )
        }
        return try open(path) { _ in }
    }

    /// Opens an encrypted database under the SQLCipher profile that the passphrase fits.
    static func open(
        _ path: FilePath, passphrase: borrowing Passphrase
    ) throws -> Connection {
        let profile: Profile
        switch try Diagnosis.examine(path, passphrase: passphrase) {
        case .keyFits: profile = .current
        case .olderSQLCipher(let version):
            guard let older = Profile.older.first(where: { $0.version == version }) else {
                throw LockstepError(
                    .olderSQLCipher, "\(path) is of an unknown SQLCipher version",
                    context: .file(path))
            }
            profile = older
        case .wrongKey: throw doesNotFit(path)
        // Too short for SQLCipher 4, but not for earlier versions.
        case .truncated(let bytes) where bytes.isMultiple(of: Profile.older[0].pageSize):
            throw doesNotFit(path)
        case let other:
            throw other.error(path)
                ?? LockstepError(.damaged, "\(path) cannot be opened", context: .file(path))
        }
        let salt = try DatabaseFile(path).read(at: 0, DatabaseKey.saltLength)
        let key = try DatabaseKey(
            secret: profile.key(from: passphrase, salt: salt), salt: salt)
        let keyspec = try key.keyspec(withSalt: false)
        return try open(path) { connection in
            guard unsafe KeyedMemory.setKey(keyspec, on: connection.handle) == SQLITE_OK else {
                throw LockstepError(
                    .wrongKey, "the key cannot be set for \(path)", context: .file(path))
            }
            try connection.setPragma("cipher_compatibility", "\(profile.version)")
        }
    }

    private static func doesNotFit(_ path: FilePath) -> LockstepError {
        LockstepError(
            .wrongKey, "the passphrase does not fit \(path)",
            hint: "check the passphrase, and that the file has the default settings of "
                + "SQLCipher 1, 2, 3 or 4", context: .file(path))
    }

    private static func open(
        _ path: FilePath, key: (borrowing Connection) throws -> Void
    ) throws -> Connection {
        let handle = unsafe try Opening.openHandle(path, SQLITE_OPEN_READONLY)
        let core = unsafe ConnectionCore(owning: handle, cachedStatements: 16)
        let connection = Connection(owning: core, path: path)
        core.disabledFTS5 = try unsafe DisabledFTS5(on: handle)
        try key(connection)
        unsafe core.authorizer.install(on: handle)
        do {
            _ = try connection.value("SELECT count(*) FROM sqlite_schema", as: Int64.self)
        } catch let error as LockstepError {
            throw explain(error, path)
        }
        try Opening.harden(connection)
        try connection.setCacheSize(16 * 1024 * 1024)
        core.authorizer.mode = .program
        return connection
    }

    /// Opens the empty file at `path` as a plaintext database to fill, with the program's functions and
    /// collations.
    static func makePlaintext(
        _ path: FilePath, options: ConnectionOptions = .init()
    ) throws -> Connection {
        let handle = unsafe try Opening.openHandle(path, SQLITE_OPEN_READWRITE)
        let core = unsafe ConnectionCore(owning: handle, cachedStatements: 16)
        let connection = Connection(owning: core, path: path)
        unsafe core.authorizer.install(on: handle)
        try Opening.dropJournal(connection)
        try Opening.harden(connection)
        try Opening.extend(connection, options)
        core.authorizer.mode = .program
        return connection
    }

    /// Rolling back a journal that a crash left means writing to the original, which is only to be read.
    private static func explain(_ error: LockstepError, _ path: FilePath) -> LockstepError {
        guard error.code == .readOnly || error.code == .inputOutput else {
            return error.located(in: path)
        }
        return error.located(
            "\(path) cannot be read in its present state",
            hint:
                "its journal or log must be applied first: open and close it once with the "
                + "program that wrote it", context: .file(path))
    }
}
