internal import CSQLCipher
public import SystemPackage

extension Connection {
    /// Marks Lockstep's files in the database header: "LSTK" in ASCII.
    static let applicationID: Int64 = 0x4C53_544B

    /// What opening has set aside, because the write-ahead log was damaged; see ``ConnectionOptions/damagedLog``.
    public var setAsideLog: SetAsideLog? { core.setAsideLog }

    /// Opens an existing encrypted database.
    /// - Throws: ``LockstepError`` with the reason that the file does not open; see ``Diagnosis``. Finding the reason
    ///   writes nothing. ``LockstepError/Code/damaged`` for a damaged log, and the errors of setting it aside: see
    ///   ``ConnectionOptions/damagedLog``.
    public static func open(
        _ path: FilePath, key: borrowing DatabaseKey, options: ConnectionOptions = .init()
    ) throws -> Connection {
        _ = try LinkGuard.check()
        // SQLite takes a file of at most one byte for a new database, and would initialize it.
        let size = try DatabaseFile(path).size
        if size < Profile.current.pageSize {
            let diagnosis = try Diagnosis.examine(path, key: key)
            throw diagnosis.error(path)
                ?? LockstepError(.truncated, "\(path) ends after \(counted(size, "byte"))", context: .file(path))
        }
        var options = options
        options.access = ReadOnlyPlace.access(path, options)
        let setAside = try FirstLook.run(on: path, key: key, timeout: options.busyTimeout, options.answer)
        let connection = try openOrExplain(path, key, options)
        if let setAside { try Opening.leave(setAside, connection) }
        return connection
    }

    private static func openOrExplain(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ options: ConnectionOptions
    ) throws -> Connection {
        do {
            return try Opening.open(path, key, withSalt: false, options)
        } catch let error as LockstepError {
            if !options.isQueryOnly, !ReadOnlyPlace.isWritable(path),
                [.readOnly, .inputOutput, .sqlFailed].contains(error.code)
            {
                throw ReadOnlyPlace.unwritable(path)
            }
            guard [.damaged, .sqlFailed, .inputOutput].contains(error.code) else { throw error }
            if let reason = try Diagnosis.examine(path, key: key).error(path) { throw reason }
            guard error.code == .damaged else { throw error.located(in: path) }
            // To SQLite, a single failed read looks like damage.
            return try reopen(path, key, options)
        }
    }

    private static func reopen(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ options: ConnectionOptions
    ) throws -> Connection {
        do {
            return try Opening.open(path, key, withSalt: false, options)
        } catch let error as LockstepError {
            throw error.located(in: path)
        }
    }

    /// Creates a new encrypted database that only its owner can read.
    ///
    /// Under a key from a keyring, the database gets an id of 16 random bytes, by which keyrings know it, and
    /// records the keyring. The file appears complete or not at all; what a kill leaves beside it is removed when it is
    /// created again.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if a file exists at `path`.
    public static func create(
        _ path: FilePath, key: borrowing DatabaseKey, options: ConnectionOptions = .init()
    ) throws -> Connection {
        _ = try LinkGuard.check()
        try PendingDatabase.requireFree(path)
        let pending = try PendingDatabase(for: path, creating: false)
        // Already in WAL mode: to change the mode in place takes a journal, which a kill leaves.
        _ = try createEmpty(pending.path, for: path, key: key) { connection in
            try key.originRecord?.add(to: connection)
            try connection.with(rights: .engine) { _ = try connection.checkpoint(.truncate) }
        }
        try pending.removeEmptyLog()
        try pending.place()
        do {
            return try Opening.open(path, key, withSalt: true, options.ofNew)
        } catch {
            DatabaseFile.remove(path)
            throw error
        }
    }

    /// Creates a database without an id, to be filled with another database's record.
    /// - Parameters:
    ///   - name: Its name in errors, if `path` is temporary.
    ///   - fill: Runs before the file counts as created; if it throws, no file remains.
    static func createEmpty(
        _ path: FilePath, for name: FilePath? = nil, key: borrowing DatabaseKey,
        options: ConnectionOptions = .init(),
        fill: (borrowing Connection) throws -> Void = { _ in }
    ) throws -> Connection {
        _ = try LinkGuard.check()
        try Opening.requireNoSideFiles(of: path)
        // SQLite would create the file with read access for all users.
        try AtomicFile.create(path, for: name).close()
        do {
            let connection = try Opening.open(path, key, withSalt: true, options.ofNew)
            try connection.setHeaderField("application_id", applicationID)
            try fill(connection)
            try Opening.requireCiphertext(path, key)
            try AtomicFile.syncFolder(of: path)
            return connection
        } catch {
            DatabaseFile.remove(path)
            throw error
        }
    }

    /// A database in memory under a random key that is not stored. Closing it deletes it.
    /// - Throws: ``LockstepError/Code/libraryUnusable``; the errors of functions and collations in `options` that
    ///   SQLite refuses.
    public static func inMemory(_ options: ConnectionOptions = .init()) throws -> Connection {
        _ = try LinkGuard.check()
        return try Opening.open(nil, keyspec: DatabaseKey.ephemeral().keyspec(withSalt: true), options.ofNew)
    }
}

/// The steps from a path to a usable handle, in the one order that is safe.
enum Opening {
    /// Opens a file with its key.
    static func open(
        _ path: FilePath, _ key: borrowing DatabaseKey, withSalt: Bool, _ options: ConnectionOptions
    ) throws -> Connection {
        let opensOthers = options.addition != nil || (!options.isQueryOnly && !options.isScratch)
        let shared: SharedSecret<DatabaseKey>? = opensOthers ? SharedSecret(try key.clone()) : nil
        let connection = try open(path, keyspec: key.keyspec(withSalt: withSalt), options, shared)
        if let record = key.originRecord, !withSalt {
            connection.core.isCopy = try connection.with(rights: .engine) {
                try record.requireCurrent(in: connection, under: key, isLater: options.isLater)
            }
        }
        return connection
    }

    /// A second connection to the file of one that is open, only to read, with its functions and collations.
    private static func reader(
        _ path: FilePath, _ key: SharedSecret<DatabaseKey>, _ options: ConnectionOptions
    ) throws -> Connection {
        var reading = ConnectionOptions()
        reading.isQueryOnly = true
        reading.sharesLog = true
        reading.closesFullText = options.closesFullText
        (reading.functions, reading.collations) = (options.functions, options.collations)
        (reading.deadline, reading.progress) = (options.deadline, options.progress)
        return try open(path, keyspec: key.value.keyspec(withSalt: false), reading)
    }

    /// - Parameters:
    ///   - path: The file; nil for a database in memory.
    ///   - key: The key for the attachment.
    static func open(
        _ path: FilePath?, keyspec: borrowing SecretBytes, _ options: ConnectionOptions,
        _ key: SharedSecret<DatabaseKey>? = nil
    ) throws -> Connection {
        let connection = try MemoryLimit.suspended { try keyed(path, keyspec, options) }
        let core = connection.core
        let handle = unsafe connection.handle
        core.lockWait.shouldContinue = options.progress?.shouldContinue
        try configure(connection, options)
        if let path, !options.isScratch { try requireInPlace(path, connection) }
        try extend(connection, options)
        for (limit, value) in options.limits { connection.setLimit(limit, value) }
        core.attachment.key = key
        if let path, let key, !options.isQueryOnly, !options.isScratch {
            core.attachment.openReader = { try reader(path, key, options) }
        }
        core.maximumOpenedRows = options.maximumOpenedRows
        if let addition = options.addition {
            core.attachment.state = try addition.attach(to: connection)
        }
        core.timer = StatementTimer(limit: options.timeLimit, deadline: options.deadline)
        let hooks = Hooks(trace: options.trace, progress: options.progress, core.timer)
        core.hooks = hooks
        unsafe hooks.install(on: handle)
        core.authorizer.mode = .program
        return connection
    }

    /// Opens a handle and sets its key. If memory is limited afterwards, it also derives the subkeys now.
    private static func keyed(
        _ path: FilePath?, _ keyspec: borrowing SecretBytes, _ options: ConnectionOptions
    ) throws -> Connection {
        if let path { try LinkedFiles.refuse(at: path) }
        var unchanging: UnchangingFile?
        let handle =
            if let path, options.access == .immutable {
                unsafe try openImmutable(path, &unchanging)
            } else {
                unsafe try openHandle(path, SQLITE_OPEN_READWRITE)
            }
        let core = unsafe ConnectionCore(owning: handle, cachedStatements: options.cachedStatements)
        core.unchanging = unchanging
        // Under another key closing would copy the log as well, into a file that it need not be of.
        core.untouchedLog = path.map { DatabaseFile.side("-wal", of: $0) }
        let connection = Connection(owning: core, path: path ?? ":memory:")
        if options.closesFullText { core.disabledFTS5 = try unsafe DisabledFTS5(on: handle) }
        let keyed = unsafe KeyedMemory.setKey(keyspec, on: handle)
        // If a failure here were ignored, SQLite would create a plaintext file.
        guard keyed == SQLITE_OK else {
            throw unsafe ResultCode.error(keyed, on: handle).located("cannot set the key")
        }
        unsafe core.authorizer.install(on: handle)
        try Functions.register(on: connection)
        try pinProfile(connection)
        // Reads the first page, but none of the schema.
        if MemoryLimit.bytes != nil { _ = try connection.headerField("user_version") }
        return connection
    }

    /// Opens an existing file, or a database in memory for nil, and does nothing else.
    static func openHandle(_ path: FilePath?, _ access: Int32) throws -> OpaquePointer {
        _ = MemoryCount.isLeftOut
        _ = EngineMemory.isArranged
        var opened: OpaquePointer?
        // Never SQLITE_OPEN_URI: an untrusted path could name another file's key.
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (path == nil ? SQLITE_OPEN_CREATE : 0)
        let code = unsafe sqlite3_open_v2(path.map(fileName) ?? ":memory:", &opened, flags, try GuardedVFS.name())
        return try unsafe usable(opened, code, path)
    }

    // Keying a handle that failed to open crashes SQLCipher.
    static func usable(
        _ opened: OpaquePointer?, _ code: Int32, _ path: FilePath?
    ) throws -> OpaquePointer {
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let error = unsafe ResultCode.error(code, on: opened)
            unsafe sqlite3_close_v2(opened)
            throw error.located("cannot open \(path ?? ":memory:")", context: .init(file: path?.string))
        }
        return unsafe handle
    }

    /// Registers the program's functions and collations.
    static func extend(
        _ connection: borrowing Connection, _ options: ConnectionOptions
    ) throws(LockstepError) {
        for function in options.functions { try connection.add(function) }
        for collation in options.collations { try connection.add(collation) }
    }

    /// Refuses to create a file at `path` if another database's log or journal is beside it.
    static func requireNoSideFiles(of path: FilePath) throws {
        for suffix in DatabaseFile.sideSuffixes {
            let side = DatabaseFile.side(suffix, of: path)
            guard !FileAccess.exists(side) else {
                throw LockstepError(
                    .alreadyExists, "\(side) is left over from another database",
                    hint: "move it away first: SQLite would replay it into the new file", context: .file(side))
            }
        }
    }

    /// The last connection to close copies the log into the database and removes it. A connection that only
    /// reads must not do so if a crash left a log: the log can be damaged, and is the only copy.
    private static func leaveLogAlone(_ connection: borrowing Connection) throws {
        let log = DatabaseFile.side("-wal", of: connection.path)
        guard FileAccess.exists(log), try FileAccess.sizeOfRegularFile(log) > 0 else { return }
        let code = unsafe lockstep_db_config_flag(connection.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        guard code == SQLITE_OK else { throw unsafe ResultCode.error(code, on: connection.handle) }
    }

    /// Goes on without the commits that were set aside. The next round of the log has other salts, so that they are not
    /// found again.
    fileprivate static func leave(
        _ setAside: SetAsideLog, _ connection: borrowing Connection
    ) throws {
        connection.core.setAsideLog = setAside
        guard try connection.value("PRAGMA query_only", as: Int.self) == 0 else { return }
        do {
            try connection.with(rights: .engine) { _ = try connection.checkpoint(.truncate) }
        } catch let error as LockstepError where error.code == .busy {
            // Another connection has come in between: the next opening finds them again.
        }
    }

    /// A name that SQLite takes only for a file's: it gives `:memory:`, `file:…` and similar names another
    /// meaning.
    static func fileName(_ path: FilePath) -> String {
        path.isAbsolute ? path.string : "./\(path.string)"
    }

    /// Sets SQLCipher 4's own settings, whatever defaults the process has. They take effect only between the
    /// key and the first read.
    private static func pinProfile(_ connection: borrowing Connection) throws {
        try connection.setPragma("cipher_compatibility", "\(Profile.current.version)")
        try connection.execute("PRAGMA cipher_plaintext_header_size = 0")
    }

    /// Keeps plaintext off the disk, and a hostile schema or file from doing harm.
    static func harden(_ connection: borrowing Connection) throws {
        let handle = unsafe connection.handle
        // With FILE, sorts and temporary tables would reach the disk in plaintext.
        try connection.execute("PRAGMA temp_store = MEMORY")
        guard try connection.value("PRAGMA temp_store", as: Int64.self) == 2,
            unsafe sqlite3_compileoption_used("TEMP_STORE=0") == 0
        else {
            throw LockstepError(
                .libraryUnusable, "temporary tables cannot be kept in memory",
                hint: "use a SQLCipher that was built with SQLITE_TEMP_STORE=2")
        }
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, Int32(1)), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
        ] {
            let code = unsafe lockstep_db_config_flag(handle, Int32(option), value)
            guard code == SQLITE_OK else { throw unsafe ResultCode.error(code, on: handle) }
        }
        try connection.execute("PRAGMA foreign_keys = ON")
        try connection.execute("PRAGMA cell_size_check = ON")
        try connection.execute("PRAGMA mmap_size = 0")
    }

    /// Makes writes go straight into the file, which is deleted if anything fails. This must run before
    /// ``harden(_:)``: a defensive connection keeps its journal.
    static func dropJournal(_ connection: borrowing Connection) throws {
        guard try connection.value("PRAGMA journal_mode = OFF", as: String.self) == "off" else {
            throw LockstepError(
                .misuse, "the journal of \(connection.path) cannot be turned off", context: .file(connection.path))
        }
        try connection.setPragma("synchronous", "OFF")
    }

    private static func configure(
        _ connection: borrowing Connection, _ options: ConnectionOptions
    ) throws {
        connection.setBusyTimeout(LockWait.milliseconds(options.busyTimeout))
        let wait = connection.core.lockWait
        wait.begin()
        defer { wait.end() }
        do {
            try configureUnderWait(connection, options)
        } catch let error as LockstepError {
            throw wait.explained(error)
        }
    }

    private static func configureUnderWait(_ connection: borrowing Connection, _ options: ConnectionOptions) throws {
        // The first read: it fails if the key is wrong.
        _ = try connection.value("SELECT count(*) FROM sqlite_schema", as: Int64.self)
        connection.core.untouchedLog = nil
        if options.isScratch { try dropJournal(connection) }
        try harden(connection)
        try connection.setCacheSize(options.cacheBytes)
        if options.isQueryOnly {
            try connection.execute("PRAGMA query_only = ON")
            if options.access == .readOnly {
                connection.core.untouchedLog = DatabaseFile.side("-wal", of: connection.path)
            } else if options.access == .full, !options.sharesLog {
                try leaveLogAlone(connection)
            }
        } else if options.isScratch {
            return
        } else if unsafe sqlite3_db_filename(connection.handle, "main")
            .map({ unsafe $0.pointee != 0 }) == true
        {
            connection.core.isShared = true
            guard try connection.value("PRAGMA journal_mode = WAL", as: String.self) == "wal" else {
                throw LockstepError(
                    .inputOutput, "\(connection.path) cannot be switched to WAL mode",
                    hint: "the file system must support shared memory; network shares do not",
                    context: .file(connection.path))
            }
        }
        try connection.setPragma("synchronous", options.synchronous.rawValue)
    }

    /// From its first read on, a connection holds a lock that keeps the file from being replaced. Before that,
    /// another process can put a new file in its place: the connection would then use the old file with the log
    /// of the new one.
    private static func requireInPlace(
        _ path: FilePath, _ connection: borrowing Connection
    ) throws(LockstepError) {
        var hasMoved: Int32 = 0
        let code = unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard code == SQLITE_OK else { throw unsafe ResultCode.error(code, on: connection.handle) }
        guard hasMoved == 0 else {
            throw LockstepError(
                .replaced, "\(path) was replaced while it was being opened", hint: "open it again",
                context: .file(path))
        }
    }

    /// The first write must have left ciphertext on disk that begins with the key's salt.
    static func requireCiphertext(_ path: FilePath, _ key: borrowing DatabaseKey) throws {
        let head = try DatabaseFile(path).read(at: 0, DatabaseKey.saltLength)
        guard head == key.salt else {
            throw LockstepError(
                .libraryUnusable, "the new file \(path) was not encrypted, so it was removed",
                hint: "check which libsqlcipher the program is linked to", context: .file(path))
        }
    }
}
