package import SystemPackage

// Places that cannot be written
// =============================
//
// A database in WAL mode is read with two files beside it, the log and its index, which the first connection makes.
// Where it cannot, as on read-only media or in another user's folder, SQLite opens nothing. So a query-only connection
// there looks at what lies beside the file:
//
//   a log and its index    somebody has the database open, or was killed: SQLite can read both as they are, with locks
//   a log with content     its commits are not in the file, and without an index SQLite does not read them: refused
//   neither                the database was closed cleanly, and the file is all of it: opened as immutable
//
// An immutable file is read without a lock, so a program that can write there after all is not kept out, and the pages
// of two moments could be taken for one. The file's state is noted before the first page is read, and compared whenever
// a read ends: a result of a file that has changed meanwhile is an error. Commits that stay in a new log do no harm.
enum ReadOnlyPlace {
    /// How a connection opens the database.
    static func access(_ path: FilePath, _ options: ConnectionOptions) -> ConnectionOptions.Access {
        guard options.isQueryOnly, !options.isScratch, options.access != .immutable, !isWritable(path), !isOpen(path)
        else { return options.access }
        return .immutable
    }

    /// Whether this process can write the database and make files beside it.
    static func isWritable(_ path: FilePath) -> Bool {
        FileAccess.isWritable(path) && FileAccess.isWritable(AtomicFile.parent(of: path))
    }

    /// Whether a log and its index lie beside the database.
    static func isOpen(_ path: FilePath) -> Bool {
        ["-wal", "-shm"].allSatisfy { FileAccess.exists(DatabaseFile.side($0, of: path)) }
    }

    /// Whether nobody has the database open, and all of it is in its file.
    static func isClosed(_ path: FilePath) -> Bool {
        !isOpen(path) && (try? DatabaseFile.pendingSide(of: path)) == .some(nil)
    }

    /// The error for writing here.
    static func unwritable(_ path: FilePath) -> LockstepError {
        LockstepError(
            .accessDenied, "\(path) can only be read: this user cannot write it, or make files beside it",
            hint: "write to it as a user who can, or to a copy in a folder of your own", context: .file(path))
    }

    /// The error for a log that cannot be read where it lies.
    static func unreadable(_ side: FilePath, of path: FilePath) -> LockstepError {
        guard isWritable(path) else {
            return LockstepError(
                .accessDenied,
                "\(side) can hold commits that are not in \(path) yet, and nobody can read them where no file can be made",
                hint:
                    "copy both files into a folder that you can write, and open the copy; or open and close the database "
                    + "once as a user who can write there, which puts the commits into the file", context: .file(side))
        }
        return LockstepError(
            .misuse, "\(side) can hold commits, which an immutable opening does not read",
            hint:
                "open it with the mode `.readOnly`; or open and close it once for writing, which puts them into the file",
            context: .file(side))
    }
}

extension ConnectionOptions {
    /// Makes a query-only connection leave nothing beside the database, also where it could.
    package mutating func leaveNothing(beside path: FilePath) {
        access = ReadOnlyPlace.isClosed(path) ? .immutable : .readOnly
    }
}
