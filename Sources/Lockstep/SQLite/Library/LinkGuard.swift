internal import CSQLCipher

/// Makes sure that the `sqlite3_*` functions in this process are SQLCipher's before a key is used.
///
/// Plain SQLite exports the same names. Linked first, it makes keying a no-op that answers OK, and the
/// file would be plaintext.
enum LinkGuard {
    /// SQLCipher's version, such as `4.6.1 community`, once the guard has passed.
    static func check() throws(LockstepError) -> String { try library().version }

    /// What the guard found.
    struct Library {
        /// SQLCipher's version.
        let version: String
        /// Why pages are encrypted by SQLCipher's own code; nil if by ours.
        let refusal: CryptoProvider.Refusal?
        /// What is known to be wrong with it.
        let defects: [LibraryDefect]
    }

    /// The library, once the guard has passed; the first call examines it.
    static func library() throws(LockstepError) -> Library {
        switch outcome {
        case .success(let library): return library
        case .failure(let error): throw error
        }
    }

    private static let outcome: Result<Library, LockstepError> = {
        do throws(LockstepError) {
            return .success(try examine())
        } catch {
            return .failure(error)
        }
    }()

    private static func examine() throws(LockstepError) -> Library {
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
        _ = MemoryCount.isLeftOut
        _ = EngineMemory.isArranged
        let database = try KeyedMemory()
        guard let version = database.answer("PRAGMA cipher_version"), !version.isEmpty else {
            throw unusable("PRAGMA cipher_version has no answer")
        }
        let provider = database.answer("PRAGMA cipher_provider") ?? "none"
        // Ours can be there already if this engine is in the process twice.
        guard ["openssl", "commoncrypto", "\(CryptoProvider.name)"].contains(provider) else {
            throw unusable("SQLCipher was built with the provider \(provider)")
        }
        // By default failed MACs are written to standard error. Set before the first key of the
        // process this would be overwritten, hence on a handle that was keyed.
        _ = database.answer("PRAGMA cipher_log_level = NONE")
        let refusal =
            switch provider {
            case "openssl": CryptoProvider.install(for: version, beside: database)
            case "\(CryptoProvider.name)": nil as CryptoProvider.Refusal?
            default: CryptoProvider.Refusal.otherStockProvider
            }
        let versions = LibraryVersions(
            sqlite: Int(sqlite3_libversion_number()), cipher: version, stockProvider: provider)
        return Library(
            version: version, refusal: refusal,
            defects: LibraryDefect.all.filter { $0.isIn(versions) })
    }

    static func unusable(_ what: String) -> LockstepError {
        LockstepError(
            .libraryUnusable, "\(what), so nothing would be safe: refusing to go on",
            hint: "link libsqlcipher 4.5 or newer (`make setup` installs it), and make sure that "
                + "nothing brings libsqlite3 into the process")
    }
}
