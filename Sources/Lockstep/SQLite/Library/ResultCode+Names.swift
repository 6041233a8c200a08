internal import CSQLCipher

extension LockstepError.Context {
    /// The name of ``sqliteCode`` in SQLite's header, such as `SQLITE_CONSTRAINT_UNIQUE`. A code that this version does
    /// not know has the name of its primary code and its number: `SQLITE_IOERR (25610)`.
    public var sqliteCodeName: String? { sqliteCode.map(ResultCode.name) }
}

extension ResultCode {
    /// The name of a primary or extended result code.
    static func name(_ code: Int32) -> String {
        guard let (primary, extensions) = names[code & 0xFF] else { return "SQLITE (\(code))" }
        guard code & 0xFF != code else { return primary }
        let known = extensions.split(separator: " ")
        let place = Int(code >> 8) - 1
        guard known.indices.contains(place), known[place] != "-" else {
            return "\(primary) (\(code))"
        }
        return "\(primary)_\(known[place])"
    }

    /// The primary codes. Swift cannot import the macros of the extended codes, but each of them is its primary code
    /// plus 256 times its place in this list, from 1; `-` is a place that SQLite does not use. SQLite only adds codes,
    /// so the list can name codes that are newer than the header.
    private static let names: [Int32: (primary: String, extensions: String)] = [
        SQLITE_OK: ("SQLITE_OK", "LOAD_PERMANENTLY SYMLINK"),
        SQLITE_ERROR: (
            "SQLITE_ERROR", "MISSING_COLLSEQ RETRY SNAPSHOT RESERVESIZE KEY UNABLE"
        ),
        SQLITE_INTERNAL: ("SQLITE_INTERNAL", ""),
        SQLITE_PERM: ("SQLITE_PERM", ""),
        SQLITE_ABORT: ("SQLITE_ABORT", "- ROLLBACK"), SQLITE_BUSY: ("SQLITE_BUSY", "RECOVERY SNAPSHOT TIMEOUT"),
        SQLITE_LOCKED: ("SQLITE_LOCKED", "SHAREDCACHE VTAB"),
        SQLITE_NOMEM: ("SQLITE_NOMEM", ""),
        SQLITE_READONLY: (
            "SQLITE_READONLY", "RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY"
        ),
        SQLITE_INTERRUPT: ("SQLITE_INTERRUPT", ""),
        SQLITE_IOERR: (
            "SQLITE_IOERR",
            "READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM "
                + "ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK "
                + "DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC "
                + "ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE BADKEY CODEC"
        ),
        SQLITE_CORRUPT: ("SQLITE_CORRUPT", "VTAB SEQUENCE INDEX"),
        SQLITE_NOTFOUND: ("SQLITE_NOTFOUND", ""),
        SQLITE_FULL: ("SQLITE_FULL", ""),
        SQLITE_CANTOPEN: (
            "SQLITE_CANTOPEN", "NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK"
        ),
        SQLITE_PROTOCOL: ("SQLITE_PROTOCOL", ""),
        SQLITE_EMPTY: ("SQLITE_EMPTY", ""),
        SQLITE_SCHEMA: ("SQLITE_SCHEMA", ""),
        SQLITE_TOOBIG: ("SQLITE_TOOBIG", ""),
        SQLITE_CONSTRAINT: (
            "SQLITE_CONSTRAINT",
            "CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED " + "DATATYPE"
        ),
        SQLITE_MISMATCH: ("SQLITE_MISMATCH", ""),
        SQLITE_MISUSE: ("SQLITE_MISUSE", ""),
        SQLITE_NOLFS: ("SQLITE_NOLFS", ""),
        SQLITE_AUTH: ("SQLITE_AUTH", "USER"),
        SQLITE_FORMAT: ("SQLITE_FORMAT", ""),
        SQLITE_RANGE: ("SQLITE_RANGE", ""),
        SQLITE_NOTADB: ("SQLITE_NOTADB", ""),
        SQLITE_NOTICE: ("SQLITE_NOTICE", "RECOVER_WAL RECOVER_ROLLBACK RBU"),
        SQLITE_WARNING: ("SQLITE_WARNING", "AUTOINDEX"),
        SQLITE_ROW: ("SQLITE_ROW", ""),
        SQLITE_DONE: ("SQLITE_DONE", ""),
    ]
}
