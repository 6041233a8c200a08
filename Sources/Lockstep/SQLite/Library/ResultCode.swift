internal import CSQLCipher

/// Converts SQLite's result codes to Lockstep's errors.
enum ResultCode {
    /// The error for a failed call on `database`; `sql` appears with its literals replaced.
    /// - Parameter isRunning: Whether the statement was running, so that SQLite's message can contain values;
    ///   otherwise it was being prepared.
    static func error(
        _ code: Int32, on database: OpaquePointer?, sql: String? = nil, isRunning: Bool = true
    ) -> LockstepError {
        var text = unsafe String(cString: sqlite3_errstr(code))
        if let database = unsafe database, unsafe sqlite3_extended_errcode(database) == code {
            text = unsafe String(cString: sqlite3_errmsg(database))
        }
        // SQLite's own message for this code says that the database is read-only.
        if code == databaseMoved { text = "the database file was moved away or replaced" }
        if isOutOfMemory(code), let error = MemoryLimit.error(in: sql.map { SQLTokens.redact($0) }) {
            return error
        }
        let (kind, usual) = classify(code)
        var advice = usual
        if code == SQLITE_ERROR {
            advice = LockstepError.Advice(ifAny: OpenNames.hint(for: text))
            advice = advice ?? exceeded(text)
        }
        let message = sql.map { MessageRedaction.redact(text, code, $0, isRunning: isRunning) }
        let missing = code & 0xFF == SQLITE_ERROR ? LockstepError.MissingObject(sqliteMessage: message ?? text) : nil
        let context = LockstepError.Context(sqliteCode: code, missing: missing)
        guard let sql, let message else {
            return LockstepError(kind, text, advice: advice, context: context)
        }
        return LockstepError(kind, "\(message) in: \(SQLTokens.redact(sql))", advice: advice, context: context)
    }

    /// SQLITE_CORRUPT_VTAB, a macro that Swift cannot import: what a virtual table keeps is not what it is about.
    static let virtualTableDamaged = SQLITE_CORRUPT | 1 << 8

    /// SQLITE_READONLY_DBMOVED, a macro that Swift cannot import.
    private static let databaseMoved = SQLITE_READONLY | 4 << 8

    private static func isOutOfMemory(_ code: Int32) -> Bool {
        // SQLITE_IOERR_NOMEM, a macro that Swift cannot import.
        code == SQLITE_NOMEM || code == SQLITE_IOERR | 12 << 8
    }

    /// What to do about SQL that is larger than SQLite's limits allow, by SQLite's message; nil for other messages.
    private static func exceeded(_ text: String) -> LockstepError.Advice? {
        if text.begins(with: "too many SQL variables") || text.begins(with: "variable number must") {
            return
                "split the list of values, or insert them into a table and select from it: a statement has at most 32,766 parameters"
        }
        return text.begins(with: "Expression tree is too large")
            ? "write `IN` with a list in place of a chain of conditions, or split the statement" : nil
    }

    private static func classify(_ code: Int32) -> (LockstepError.Code, LockstepError.Advice?) {
        if code == databaseMoved {
            return (.replaced, "close the database and open it again")
        }
        // The low byte is the primary code; the rest refines it.
        return switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            (.busy, "another connection is writing; run it again, or raise the busy timeout")
        case SQLITE_PROTOCOL:
            (.busy, "another process is opening or closing the database; run it again")
        case SQLITE_CONSTRAINT, SQLITE_MISMATCH: (.constraint, nil)
        case SQLITE_FULL: (.full, "free some space on the disk and run it again")
        case SQLITE_INTERRUPT: (.interrupted, nil)
        case SQLITE_READONLY: (.readOnly, "open the database for writing")
        case SQLITE_AUTH: (.denied, nil)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            (.damaged, "run \(.verify) to see which pages are damaged")
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            (.inputOutput, "check the disk, and the permissions of the file and its folder")
        case SQLITE_MISUSE, SQLITE_RANGE: (.misuse, nil)
        default: (.sqlFailed, nil)
        }
    }
}
