internal import CSQLCipher
internal import Synchronization

/// A database in memory under a random key that is not stored, for queries to SQLCipher that need a keyed
/// database.
@safe
struct KeyedMemory: ~Copyable {
    private let database: OpaquePointer

    init() throws(LockstepError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(":memory:", &opened, flags, nil)
        guard code == SQLITE_OK, let database = unsafe opened else {
            unsafe sqlite3_close_v2(opened)
            throw LinkGuard.unusable("no database in memory can be opened")
        }
        do throws(LockstepError) {
            let keyspec = try DatabaseKey.ephemeral().keyspec(withSalt: true)
            guard unsafe Self.setKey(keyspec, on: database) == SQLITE_OK else {
                throw LinkGuard.unusable("keying a database in memory failed")
            }
        } catch {
            unsafe sqlite3_close_v2(database)
            throw error
        }
        unsafe self.database = unsafe database
    }

    deinit { unsafe sqlite3_close_v2(database) }

    /// Passes SQLCipher the key. Never as SQL: that would reach traces and error messages.
    static func setKey(_ keyspec: borrowing SecretBytes, on database: OpaquePointer) -> Int32 {
        EngineMemory.awaitKeys()
        return unsafe keyspec.bytes.withUnsafeBytes {
            unsafe sqlite3_key_v2(database, "main", $0.baseAddress, Int32($0.count))
        }
    }

    /// Keeps the database open until the process ends.
    consuming func leaveOpen() {
        Self.leftOpen.withLock { unsafe $0.append(UInt(bitPattern: database)) }
        discard self
    }

    /// Holds the addresses, so that a leak detector finds them.
    private static let leftOpen = Mutex<[UInt]>([])

    /// The first column of the first row as text, or nil if there is none.
    func answer(_ sql: String) -> String? {
        var statement: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            return nil
        }
        defer { unsafe sqlite3_finalize(statement) }
        guard unsafe sqlite3_step(statement) == SQLITE_ROW,
            let text = unsafe sqlite3_column_text(statement, 0)
        else { return nil }
        return unsafe String(cString: text)
    }
}
