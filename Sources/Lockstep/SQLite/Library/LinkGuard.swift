internal import CSQLCipher

/// Makes sure, before a key is used, that the `sqlite3_*` functions in this process are SQLCipher's.
///
/// Plain SQLite exports the same names. If it is linked first, keying does nothing but reports OK, and the file
/// would be plaintext.
enum LinkGuard {
    /// SQLCipher's version, such as `4.6.1 community`, once the guard has passed.
    static func check() throws(LockstepError) -> String { try library().version }

    /// The guard's findings.
    struct Library {
        /// SQLCipher's version.
        let version: String
        /// Why SQLCipher's own code encrypts the pages; nil if Lockstep's does.
        let refusal: CryptoProvider.Refusal?
        /// The library's known defects.
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
        guard let open = unsafe lockstep_source_of_open(), let key = unsafe lockstep_source_of_key(),
            unsafe String(cString: open) == String(cString: key)
        else {
            throw unusable("sqlite3_open_v2 and sqlite3_key_v2 come from different libraries")
        }
        // SQLCipher 4.5.0 contains SQLite 3.36.
        guard sqlite3_libversion_number() >= 3_036_000 else {
            throw unusable("the SQLCipher in this process is older than 4.5")
        }
        _ = MemoryCount.isLeftOut
        _ = EngineMemory.isArranged
        let database = try KeyedMemory()
        guard let version = database.answer("PRAGMA cipher_version"), !version.isEmpty else {
            throw unusable("PRAGMA cipher_version returns nothing")
        }
        let provider = database.answer("PRAGMA cipher_provider") ?? "none"
        // Lockstep's provider is already registered if this engine is in the process twice.
        guard ["openssl", "commoncrypto", "\(CryptoProvider.name)"].contains(provider) else {
            throw unusable("SQLCipher was built with the provider \(provider)")
        }
        // By default SQLCipher writes failed MACs to standard error. The first key of the process would
        // overwrite this setting, so it is set on a keyed handle.
        _ = database.answer("PRAGMA cipher_log_level = NONE")
        let refusal =
            switch provider {
            case "openssl": CryptoProvider.install(for: version, beside: database)
            case "\(CryptoProvider.name)": nil as CryptoProvider.Refusal?
            default: CryptoProvider.Refusal.otherStockProvider
            }
        let versions = LibraryVersions(
            sqlite: Int(sqlite3_libversion_number()), cipher: version, stockProvider: provider)
        return Library(version: version, refusal: refusal, defects: LibraryDefect.all.filter { $0.isIn(versions) })
    }

    static func unusable(_ what: String) -> LockstepError {
        LockstepError(
            .libraryUnusable, "\(what), so the data would not be safe",
            hint: "link libsqlcipher 4.5 or newer (`make setup` installs it), and make sure that "
                + "no other code loads libsqlite3 into the process")
    }
}
