internal import CSQLCipher

/// Counts the commits to a database since a given moment, and separates the connection's own commits from all
/// others.
///
/// `PRAGMA data_version` also reports other connections' commits, but it changes without a commit as well: when
/// another connection restarts the log, and after an error such as a full disk, which is when the answer
/// matters most. The index of the write-ahead log counts every commit of every process ("WAL-mode File Format",
/// section 2.1: `iChange`); SQLite's hook reports the connection's own.
///
/// SQLite's automatic checkpoint uses the same hook, so the watch runs it while it is active.
final class CommitWatch {
    /// Pages in the log at which a commit starts a checkpoint: SQLite's default.
    private static let checkpointAt: Int32 = 1000
    /// Bytes in the first block of the log's index; the same in every release ("WAL-mode File Format", 2.2).
    private static let indexPart: Int32 = 32_768
    /// The only version of the index that exists.
    private static let indexVersion: UInt32 = 3_007_000

    private var start: UInt32 = 0
    /// The connection's own commits since ``begin(_:)``.
    private(set) var own: UInt32 = 0

    fileprivate init() {}

    /// Counts from now on.
    /// - Throws: ``LockstepError/Code/libraryUnusable`` if the commits cannot be counted.
    func begin(_ connection: borrowing Connection) throws(LockstepError) {
        (start, own) = (try Self.total(connection), 0)
    }

    /// How many transactions others have committed since. The count stays valid only while others cannot write.
    func others(_ connection: borrowing Connection) throws(LockstepError) -> UInt32 {
        try Self.total(connection) &- start &- own
    }

    /// All commits to the database, counted from an arbitrary start.
    static func total(_ connection: borrowing Connection) throws(LockstepError) -> UInt32 {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file = unsafe file,
            let methods = unsafe file.pointee.pMethods, unsafe methods.pointee.iVersion >= 2
        else { throw unreadable(connection) }
        var index: UnsafeMutableRawPointer?
        // The index exists already; mapping it again only returns its address.
        let mapped = unsafe methods.pointee.xShmMap(file, 0, indexPart, 0, &index)
        guard mapped == SQLITE_OK, let index = unsafe index,
            unsafe index.load(as: UInt32.self) == indexVersion
        else { throw unreadable(connection) }
        return unsafe index.load(fromByteOffset: 8, as: UInt32.self)
    }

    fileprivate func noteOwn(_ database: OpaquePointer?, _ pages: Int32) {
        own &+= 1
        // A failure loses nothing: everything is in the log, and a later checkpoint tries again.
        if pages >= Self.checkpointAt {
            unsafe _ = sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
    }

    private static func unreadable(_ connection: borrowing Connection) -> LockstepError {
        LockstepError(
            .libraryUnusable, "the commits to \(connection.path) cannot be counted",
            hint: "the database must be in WAL mode, on a local file system")
    }
}

extension Connection {
    /// Counts the commits to the database from now on. The connection keeps the counter alive.
    func watchCommits() throws -> CommitWatch {
        // The first read creates the index if no connection has.
        _ = try value("SELECT count(*) FROM main.sqlite_schema", as: Int.self)
        let watch = CommitWatch()
        try watch.begin(self)
        core.commitWatch = watch
        unsafe _ = sqlite3_wal_hook(
            handle,
            { context, database, _, pages in
                if let context = unsafe context {
                    unsafe Unmanaged<CommitWatch>.fromOpaque(context).takeUnretainedValue()
                        .noteOwn(database, pages)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(watch).toOpaque())
        return watch
    }
}
