package import SystemPackage

/// A database that no other connection can use while its key changes: the steps that give its file another key. The
/// keyring's steps come between them; see ``DatabaseKeyRotation``.
///
/// The lock is held until the value goes out of scope, and so beyond the moment when another file takes the
/// name. A process that opened the old file and waited for the lock finds it in rollback mode. SQLite then
/// refuses to write to a file that was moved, so that no process can leave a log beside the new one.
package struct KeyChange: ~Copyable {
    let path: FilePath
    private let connection: Connection
    private let schema: ConnectionOptions
    private let identity: FileIdentity?

    private init(
        _ path: FilePath, _ connection: consuming Connection, _ schema: ConnectionOptions
    ) {
        self.path = path
        self.schema = schema
        self.connection = connection
        identity = FileIdentity(path)
    }

    /// Checks every page, opens the database, checkpoints its log, removes it, and locks all other connections out.
    /// - Parameters:
    ///   - schema: Supplies the functions and collations that the schema needs.
    ///   - prepare: Can write to the database, once all its pages verify and before it is locked.
    /// - Throws: ``LockstepError/Code/busy`` if the database is open anywhere, and
    ///   ``LockstepError/Code/damaged``. Then only `prepare` has changed anything.
    package static func begin(
        _ path: FilePath, key: borrowing DatabaseKey, schema: ConnectionOptions = .init(),
        prepare: (borrowing Connection) throws -> Void = { _ in }
    ) throws -> KeyChange {
        var options = schema.ofSchema
        options.busyTimeout = .zero
        do {
            try requireSound(path, key, options)
            let connection = try Connection.open(path, key: key, options: options)
            try prepare(connection)
            try connection.with(rights: .engine) { try seize(connection) }
            try Opening.requireNoSideFiles(of: path)
            return KeyChange(path, connection, schema)
        } catch let error as LockstepError where [.busy, .alreadyExists].contains(error.code) {
            // The database has just left WAL mode, which removed its log: this log is from a process that came
            // between.
            throw DatabaseFile.inUse(path)
        }
    }

    /// Checkpointing a damaged log would permanently lose the commits after the damage, which SQLite skips.
    private static func requireSound(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ options: ConnectionOptions
    ) throws {
        var reading = options
        reading.isQueryOnly = true
        // Open it first: that rolls back an unfinished transaction of a journal, and does not change a log.
        let connection = try Connection.open(path, key: key, options: reading)
        try PageAudit(path).requireClean(key)
        _ = consume connection
    }

    private static func seize(_ connection: borrowing Connection) throws {
        guard try connection.value("PRAGMA journal_mode = DELETE", as: String.self) == "delete"
        else { throw DatabaseFile.inUse(connection.path) }
        // Not earlier: in this mode SQLite keeps its journal until the connection is closed.
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try connection.execute("BEGIN EXCLUSIVE")
        try connection.execute("COMMIT")
        // Another process can have come between and switched it back to WAL mode.
        guard try connection.value("PRAGMA journal_mode", as: String.self) == "delete"
        else { throw DatabaseFile.inUse(connection.path) }
    }

    // MARK: Steps

    /// The path at which the copy is made.
    static func copyPath(of path: FilePath) -> FilePath { FilePath(path.string + copySuffix) }

    /// Its name's suffix after the database's name.
    static let copySuffix = ".rotating"

    /// Whether an unfinished copy, or another file of that name, exists.
    static func hasLeftover(of path: FilePath) -> Bool { FileAccess.exists(copyPath(of: path)) }

    /// Removes the leftover.
    static func removeLeftover(of path: FilePath) { DatabaseFile.remove(copyPath(of: path)) }

    /// Fails unless the disk has room for the copy, and a little more for the keyring.
    /// - Throws: ``LockstepError/Code/full``.
    func requireSpace(_ freeSpace: (FilePath) throws -> Int?) throws {
        try DiskSpace.require(
            DiskSpace.needed(forCopyOf: DatabaseFile(path).size),
            for: "the copy of \(path) under the new key", in: AtomicFile.parent(of: path),
            freeSpace)
    }

    /// Copies the database under `new` and verifies the copy: every page's MAC, the integrity of its b-trees,
    /// the rows of every table, and that each page has the same content as the original's under `old`.
    /// - Throws: Any error from `progress`; ``LockstepError/Code/damaged`` if the copy differs;
    ///   ``LockstepError/Code/replaced`` if another file now has the name.
    package func copy(
        from old: borrowing DatabaseKey, to new: borrowing DatabaseKey,
        _ progress: JobProgress.Handler
    ) throws -> RekeyedDatabase {
        let pending = try PendingDatabase(at: Self.copyPath(of: path), for: path)
        let report = try connection.read { connection in
            try PageCopy.copy(
                connection, to: pending.path, as: nil, new, schema: schema, progress)
        }
        try requireSamePages(pending.path, old, new)
        return RekeyedDatabase(pending: pending, report: report)
    }

    /// Calls `write` to add to the copy, and checks every page of the copy again.
    func amend(
        _ copy: consuming RekeyedDatabase, key: borrowing DatabaseKey, _ write: (borrowing Connection) throws -> Void
    ) throws -> RekeyedDatabase {
        var options = schema.ofSchema
        options.isScratch = true
        let path = copy.pending.path
        do {
            let connection = try Connection.open(path, key: key, options: options)
            try write(connection)
        }
        let pages = try PageAudit(path).requireClean(key).pages
        return copy.withPages(pages)
    }

    /// Gives the copy the original's name. The change is on disk when this returns.
    /// - Throws: ``LockstepError/Code/replaced`` if another file now has that name.
    package func replace(with copy: borrowing RekeyedDatabase) throws {
        try requireInPlace()
        try copy.pending.replaceInUse()
    }

    private func requireInPlace() throws(LockstepError) {
        guard identity != nil, FileIdentity(path) == identity else {
            throw LockstepError(
                .replaced, "\(path) was moved or replaced while its key was being changed",
                hint: "run it again on the intended file", context: .file(path))
        }
    }

    // MARK: Content

    /// Fields of page 1 that SQLite increments in a copy, or sets according to the file's last mode: read and
    /// write version, change counter, schema cookie, version-valid-for number, SQLite's version ("Database File
    /// Format", section 1.3).
    private static let headerOfItsOwn = [18..<20, 24..<28, 40..<44, 92..<100]

    private func requireSamePages(_ copy: FilePath, _ old: borrowing DatabaseKey, _ new: borrowing DatabaseKey) throws {
        // If another file has that name, report this and not a difference in the pages.
        try requireInPlace()
        let before = try Self.pages(of: path, old)
        let after = try Self.pages(of: copy, new)
        let numbers = before.numbers(upTo: nil)
        var differs = numbers != after.numbers(upTo: nil)
        for number in numbers where !differs {
            let pages = try (before.page(number), after.page(number))
            differs = pages.0.map(Self.content) != pages.1.map(Self.content) || pages.0 == nil
        }
        guard !differs else {
            try requireInPlace()
            throw LockstepError(
                .damaged, "the content of the copy of \(path) differs from the original",
                advice: "run \(.verify) on the original", context: .file(path))
        }
    }

    private static func pages(
        of path: FilePath, _ key: borrowing DatabaseKey
    ) throws -> PageSource {
        let salt = try DatabaseFile(path).read(at: 0, DatabaseKey.saltLength)
        return try PageSource(path, key: key.secret.clone(), salt: salt)
    }

    private static func content(_ page: DecryptedPage) -> [UInt8] {
        guard page.number == 1 else { return page.bytes }
        var bytes = page.bytes
        for field in headerOfItsOwn { for offset in field { bytes[offset] = 0 } }
        return bytes
    }
}

/// The finished copy of a database under another key. Leaving the scope removes it, unless it has taken the
/// original's name.
package struct RekeyedDatabase: ~Copyable {
    fileprivate let pending: PendingDatabase
    let report: CopyReport

    fileprivate init(pending: consuming PendingDatabase, report: CopyReport) {
        self.pending = pending
        self.report = report
    }

    fileprivate consuming func withPages(_ pages: Int) -> RekeyedDatabase {
        let rows = report.rows
        return RekeyedDatabase(pending: pending, report: CopyReport(pages: pages, rows: rows))
    }
}
