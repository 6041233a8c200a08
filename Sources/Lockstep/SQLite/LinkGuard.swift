internal import CSQLCipher

/// Makes sure that the `sqlite3_*` functions in this process are SQLCipher's before a key is used.
///
/// Plain SQLite exports the same names. Linked first, it makes keying a no-op that answers OK, and the
/// file would be plaintext.
enum LinkGuard {
    /// SQLCipher's version, such as `4.6.1 community`, once the guard has passed.
    static func check() throws(LockstepError) -> String {
        switch outcome {
        case .success(let version): return version
        case .failure(let error): throw error
        }
    }

    private static let outcome: Result<String, LockstepError> = {
        do throws(LockstepError) {
            return .success(try examine())
        } catch {
            return .failure(error)
        }
    }()

    private static func examine() throws(LockstepError) -> String {
        guard unsafe sqlite3_compileoption_used("HAS_CODEC") != 0 else {
            throw unusable("the SQLite in this process has no encryption")
        }
        guard let open = unsafe lockstep_source_of_open(),
            let key = unsafe lockstep_source_of_key(),
            unsafe String(cString: open) == String(cString: key)
        else {
            throw unusable("sqlite3_open_v2 and sqlite3_key_v2 come from different libraries")
        }
        // SQLite 3.36 is what SQLCipher 4.5.0 carries.
        guard sqlite3_libversion_number() >= 3_036_000 else {
            throw unusable("the SQLCipher in this process is older than 4.5")
        }
        return try unsafe throwawayHandle { (database) throws(LockstepError) -> String in
            guard let version = unsafe text(of: "PRAGMA cipher_version", database), !version.isEmpty
            else {
                throw unusable("PRAGMA cipher_version has no answer")
            }
            let provider = unsafe text(of: "PRAGMA cipher_provider", database) ?? "none"
            guard provider == "openssl" || provider == "commoncrypto" else {
                throw unusable("SQLCipher was built with the provider \(provider)")
            }
            // By default failed MACs are written to standard error. Set before the first key of the
            // process this would be overwritten, hence on a handle that was keyed.
            _ = unsafe text(of: "PRAGMA cipher_log_level = NONE", database)
            return version
        }
    }

    private static func throwawayHandle<Result>(
        _ body: (OpaquePointer) throws(LockstepError) -> Result
    ) throws(LockstepError) -> Result {
        var database: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(":memory:", &database, flags, nil)
        defer { unsafe sqlite3_close_v2(database) }
        guard code == SQLITE_OK, let database = unsafe database else {
            throw unusable("no database in memory can be opened")
        }
        let keyspec = try DatabaseKey.ephemeral().keyspec(withSalt: true)
        guard unsafe Opening.setKey(keyspec, on: database) == SQLITE_OK else {
            throw unusable("keying a database in memory failed")
        }
        return try unsafe body(database)
    }

    private static func text(of sql: String, _ database: OpaquePointer) -> String? {
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

    private static func unusable(_ what: String) -> LockstepError {
        LockstepError(
            .libraryUnusable, "\(what), so nothing would be safe: refusing to go on",
            hint: "link libsqlcipher 4.5 or newer (`make setup` installs it), and make sure that "
                + "nothing brings libsqlite3 into the process")
    }
}
