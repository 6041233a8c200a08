internal import CSQLCipher

/// Counts the commits to a database since a moment, and tells those of one connection from everybody else's.
///
/// `PRAGMA data_version` tells of others' commits, too, but it also changes without any: when another
/// connection begins the log anew, and after an error such as a full disk, which is when the answer matters
/// most. The index of the write-ahead log counts every commit, by whichever process ("WAL-mode File Format",
/// section 2.1: `iChange`); SQLite's hook tells which of them are the connection's own.
///
/// While it watches, SQLite's own checkpoints, which hang on the same hook, are made here.
final class CommitWatch {
    /// Pages in the log from which on it is brought into the file, as SQLite has it by default.
    private static let checkpointAt: Int32 = 1000
    /// Bytes of the first part of the log's index; the same in every release ("WAL-mode File Format", 2.2).
    private static let indexPart: Int32 = 32_768
    /// The only version of the index that there is.
    private static let indexVersion: UInt32 = 3_007_000

    private var start: UInt32 = 0
    /// The connection's own commits since ``begin(_:)``.
    private(set) var own: UInt32 = 0

    fileprivate init() {}

    /// Counts from now on.
    /// - Throws: ``LockstepError/Code/libraryUnusable`` where the commits cannot be counted.
    func begin(_ connection: borrowing Connection) throws(LockstepError) {
        (start, own) = (try Self.total(connection), 0)
    }

    /// How many transactions others have committed since. What a moment later holds is known only while
    /// they are kept from writing.
    func others(_ connection: borrowing Connection) throws(LockstepError) -> UInt32 {
        try Self.total(connection) &- start &- own
    }

    /// All commits to the database, counted from an arbitrary number on.
    static func total(_ connection: borrowing Connection) throws(LockstepError) -> UInt32 {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = unsafe sqlite3_file_control(
            connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file = unsafe file,
            let methods = unsafe file.pointee.pMethods, unsafe methods.pointee.iVersion >= 2
        else { throw unreadable(connection) }
        var index: UnsafeMutableRawPointer?
        // It exists already; asking for it again only tells where it is.
        let mapped = unsafe methods.pointee.xShmMap(file, 0, indexPart, 0, &index)
        guard mapped == SQLITE_OK, let index = unsafe index,
            unsafe index.load(as: UInt32.self) == indexVersion
        else { throw unreadable(connection) }
        return unsafe index.load(fromByteOffset: 8, as: UInt32.self)
    }

    fileprivate func noteOwn(_ database: OpaquePointer?, _ pages: Int32) {
        own &+= 1
        // A failure is no loss: everything is in the log, and a later checkpoint tries again.
        if pages >= Self.checkpointAt {
            unsafe _ = sqlite3_wal_checkpoint_v2(
                database, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
    }

    private static func unreadable(_ connection: borrowing Connection) -> LockstepError {
        LockstepError(
            .libraryUnusable, "the commits to \(connection.path) cannot be counted",
            hint: "the database must be in WAL mode, on a file system of this machine")
    }
}

extension Connection {
    /// Counts the commits to the database from now on. The connection keeps the counter alive.
    func watchCommits() throws -> CommitWatch {
        // The first read makes the index, where nobody else has.
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
