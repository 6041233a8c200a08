internal import CSQLCipher
internal import SystemPackage

/// The files beside a database that another program wrote. Reading one in WAL mode creates some.
struct SideFiles {
    private let database: FilePath
    private let present: Set<String>  // exact: suffixes of the source

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
                    hint: "if it is encrypted, give its passphrase or keyring", context: .file(path))
        }
        return try open(path) { _ in }
    }

    /// Opens an encrypted database with the settings that its key fits, which must not need ``RemadeMACs``.
    static func open(
        _ path: FilePath, _ key: ForeignKey, _ settings: ForeignSettings
    ) throws -> Connection {
        let (profile, salt) = (settings.profile, settings.salt)
        let database = try DatabaseKey(secret: key.secret(profile, salt: salt), salt: salt)
        let keyspec = try database.keyspec(withSalt: profile.plaintextHeader > 0 || key.salt != nil)
        return try open(path) { connection in
            guard unsafe KeyedMemory.setKey(keyspec, on: connection.handle) == SQLITE_OK else {
                throw LockstepError(.wrongKey, "the key cannot be set for \(path)", context: .file(path))
            }
            try apply(profile, to: connection)
        }
    }

    /// Sets everything between the key and the first read, whatever defaults the process has.
    private static func apply(_ profile: Profile, to connection: borrowing Connection) throws {
        try connection.setPragma("cipher_compatibility", "\(Profile.current.version)")
        try connection.setPragma("cipher_page_size", "\(profile.pageSize)")
        try connection.setPragma("cipher_kdf_algorithm", "PBKDF2_HMAC_\(profile.derivation.name)")
        if let mac = profile.mac {
            try connection.setPragma("cipher_hmac_algorithm", "HMAC_\(mac.name)")
        } else {
            try connection.setPragma("cipher_use_hmac", "OFF")
        }
        try connection.setPragma("cipher_plaintext_header_size", "\(profile.plaintextHeader)")
        // SQLCipher calls these deprecated, and reports that as a row.
        let numbers = profile.hasBigEndianNumbers ? "be" : "le"
        if profile.hasBigEndianNumbers {
            try connection.setPragma("cipher_hmac_pgno", numbers)
            guard try connection.value("PRAGMA cipher_hmac_pgno", as: String.self) == numbers else {
                throw unsupported("cipher_hmac_pgno", connection)
            }
        }
        if profile.macRounds != Profile.current.macRounds {
            try connection.setPragma("fast_kdf_iter", "\(profile.macRounds)")
        }
    }

    private static func unsupported(
        _ pragma: String, _ connection: borrowing Connection
    ) -> LockstepError {
        LockstepError(
            .libraryUnusable, "\(connection.path) needs \(pragma), which the linked SQLCipher no longer has",
            hint: "export it with a SQLCipher before 4.7, and adopt the export", context: .file(connection.path))
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
