internal import CSQLCipher
internal import SystemPackage

/// Reads a database file as bytes, without a connection and without writing.
///
/// It reads through SQLite's own file layer, never through its own descriptor: when a process closes any
/// descriptor of a file, the system drops all of the process's locks on the file, including those of open
/// connections. SQLite knows of these locks, and keeps the descriptor until they are released.
@safe
struct DatabaseFile: ~Copyable {
    let path: FilePath
    let size: Int
    private let handle: FileLayerHandle

    /// The first bytes of every plaintext SQLite file.
    static let magic = Array("SQLite format 3\0".utf8)

    /// Opens the database file itself, or, with a suffix such as `-wal`, a file beside it.
    init(_ database: FilePath, suffix: String = "", writable: Bool = false) throws {
        let path = Self.side(suffix, of: database)
        // Not the size that SQLite reports: to SQLite, a file of one byte is empty.
        let size = try FileAccess.sizeOfRegularFile(path)
        let kind = suffix.isEmpty ? SQLITE_OPEN_MAIN_DB : SQLITE_OPEN_WAL
        let handle = try FileLayerHandle(path, kind | (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY))
        self.path = path
        self.size = size
        self.handle = handle
    }

    /// Returns up to `count` bytes, starting at `offset`; fewer only at the file's end.
    func read(at offset: Int, _ count: Int) throws -> [UInt8] {
        let wanted = max(min(count, size - offset), 0)
        guard wanted > 0 else { return [] }
        return try handle.read(at: offset, wanted)
    }

    /// Fills `bytes`, starting at `offset`, and returns the number of bytes read; fewer only at the file's end.
    func read(at offset: Int, into bytes: inout [UInt8]) throws -> Int {
        let wanted = max(min(bytes.count, size - offset), 0)
        guard wanted > 0 else { return 0 }
        try unsafe bytes.withUnsafeMutableBytes { buffer in
            try unsafe handle.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        }
        return wanted
    }

    /// Runs `body` while no connection in this process or another has the database open; every connection in
    /// WAL mode holds a shared lock for as long as it lives. The file must have been opened as writable.
    /// - Throws: ``LockstepError/Code/busy`` if a connection has it open.
    func whileExclusive<Result>(_ body: () throws -> Result) throws -> Result {
        guard handle.lock() else { throw Self.inUse(path) }
        defer { handle.unlock() }
        return try body()
    }

    /// The error for a database that another connection has open.
    static func inUse(_ path: FilePath, by user: OtherProcess? = nil) -> LockstepError {
        LockstepError(
            .busy, "\(path) is in use, by \(user?.description ?? "this program or another")",
            hint: "close every connection to it, and run it again", context: .file(path))
    }

    /// Requires that no other process has the database open before another file takes its name: one with a rollback
    /// journal holds no lock between two statements, and goes on with the old file and the new file's log.
    /// - Throws: ``LockstepError/Code/busy``.
    static func requireUnused(_ path: FilePath) throws(LockstepError) {
        if let user = OtherProcess.having(open: path) { throw inUse(path, by: user) }
    }

    /// Whether a connection of this process or another is writing to the database without a log right now.
    var isBeingWritten: Bool { handle.isReserved }

    /// The suffixes that SQLite appends to a database's name for the files beside it.
    static let sideSuffixes = SideFileName.suffixes

    /// The same for all files of a database, of which the first is the database itself.
    static let suffixes = [""] + sideSuffixes

    /// Removes a database and the files beside it.
    static func remove(_ path: FilePath) {
        for suffix in suffixes { AtomicFile.remove(side(suffix, of: path)) }
    }

    /// A log or journal beside a database that is not empty, so that the file alone may lack commits; nil if there is
    /// none.
    static func pendingSide(of path: FilePath) throws -> FilePath? {
        try ["-wal", "-journal"].map { side($0, of: path) }.first { side in
            try FileAccess.exists(side) && FileAccess.sizeOfRegularFile(side) > 0
        }
    }

    /// The path of a side file, which has one of ``sideSuffixes``.
    static func side(_ suffix: String, of path: FilePath) -> FilePath {
        FilePath(path.string + suffix)
    }
}

/// A file opened for reading through SQLite's file layer.
@safe
struct FileLayerHandle: ~Copyable {
    private let path: FilePath
    private let file: UnsafeMutablePointer<sqlite3_file>
    /// In the form that the file layer requires for a database's name; it must live as long as the file.
    private let name: UnsafePointer<CChar>?

    init(_ path: FilePath, _ kind: Int32) throws {
        _ = MemoryCount.isLeftOut
        _ = EngineMemory.isArranged
        guard let layer = unsafe sqlite3_vfs_find(nil) else {
            throw LockstepError(.libraryUnusable, "SQLite has no file layer")
        }
        let size = unsafe Int(layer.pointee.szOsFile)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        let file = unsafe memory.assumingMemoryBound(to: sqlite3_file.self)
        let name = unsafe sqlite3_create_filename(path.string, "", "", 0, nil)
        var granted: Int32 = 0
        let code = unsafe layer.pointee.xOpen(
            layer, name, file, kind, &granted)
        guard code == SQLITE_OK, unsafe file.pointee.pMethods != nil else {
            unsafe memory.deallocate()
            unsafe sqlite3_free_filename(name)
            // The layer does not pass on the system's error; this checks for the likely reasons.
            let reason: Errno =
                !FileAccess.exists(path)
                ? .noSuchFileOrDirectory : FileAccess.isReadable(path) ? .ioError : .permissionDenied
            throw LockstepError.system(reason, "open", path)
        }
        self.path = path
        unsafe self.file = unsafe file
        unsafe self.name = unsafe name
    }

    /// SQLITE_IOERR_SHORT_READ, a macro that Swift cannot import.
    private static let shortRead = SQLITE_IOERR | 2 << 8

    deinit {
        unsafe _ = file.pointee.pMethods.pointee.xClose(file)
        unsafe UnsafeMutableRawPointer(file).deallocate()
        unsafe sqlite3_free_filename(name)
    }

    func lock() -> Bool {
        for level in [SQLITE_LOCK_SHARED, SQLITE_LOCK_EXCLUSIVE] {
            guard unsafe file.pointee.pMethods.pointee.xLock(file, level) == SQLITE_OK else {
                unlock()
                return false
            }
        }
        return true
    }

    /// Whether a connection holds a writer's lock in rollback mode: RESERVED, or a lock that also excludes
    /// readers.
    var isReserved: Bool {
        guard unsafe file.pointee.pMethods.pointee.xLock(file, SQLITE_LOCK_SHARED) == SQLITE_OK else { return true }
        defer { unlock() }
        var answer: Int32 = 0
        let code = unsafe file.pointee.pMethods.pointee.xCheckReservedLock(file, &answer)
        return code == SQLITE_OK && answer != 0
    }

    func unlock() {
        unsafe _ = file.pointee.pMethods.pointee.xUnlock(file, SQLITE_LOCK_NONE)
    }

    func read(at offset: Int, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        try unsafe bytes.withUnsafeMutableBytes { try unsafe read(at: offset, into: $0) }
        return bytes
    }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws {
        let code = unsafe file.pointee.pMethods.pointee.xRead(
            file, buffer.baseAddress, Int32(clamping: buffer.count), Int64(offset))
        // If the file has shrunk, the rest is zeros, which no MAC confirms.
        guard code == SQLITE_OK || code == Self.shortRead else {
            throw LockstepError.system(.ioError, "read", path)
        }
    }
}
