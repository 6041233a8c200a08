internal import CSQLCipher

/// The SQLCipher that this process has loaded.
public struct LoadedLibrary: Sendable {
    /// SQLCipher's version and edition, such as `4.6.1 community`.
    public let cipherVersion: String
    /// SQLite's version, such as `3.46.1`.
    public let sqliteVersion: String
    /// The library that encrypts and its version, such as `OpenSSL 3.0.19 27 Jan 2026`.
    public let cryptoVersion: String
    /// Whether Lockstep's own code encrypts the pages; otherwise SQLCipher's does.
    public let hasOwnProvider: Bool
    /// Why ``hasOwnProvider`` is false; nil if it is true.
    public let reason: String?
    /// The known defects of this release, most dangerous first.
    public let defects: [LibraryDefect]

    /// Examines the library; the first call of a process takes about a millisecond.
    /// - Throws: ``LockstepError/Code/libraryUnusable`` if it is too old, has no encryption, or cannot be
    ///   trusted.
    public static func current() throws(LockstepError) -> LoadedLibrary {
        let library = try LinkGuard.library()
        let memory = try KeyedMemory()
        return LoadedLibrary(
            cipherVersion: library.version, sqliteVersion: unsafe String(cString: sqlite3_libversion()),
            cryptoVersion: memory.answer("PRAGMA cipher_provider_version") ?? "unknown",
            hasOwnProvider: library.refusal == nil, reason: library.refusal.map(Self.reason), defects: library.defects)
    }

    /// The library and its versions, on one line.
    public var summary: String {
        "SQLCipher \(cipherVersion), SQLite \(sqliteVersion), \(cryptoVersion); pages are "
            + "encrypted by " + (reason.map { "SQLCipher's code: \($0)" } ?? "Lockstep's code")
    }

    private static func reason(_ refusal: CryptoProvider.Refusal) -> String {
        switch refusal {
        case .notWanted: "the program chose it"
        case .unknownVersion: "Lockstep does not know this release"
        case .noRegistration: "the library does not export its registration"
        case .otherStockProvider: "it was not built with OpenSSL"
        case .checkFailed: "Lockstep's code fails its check here"
        case .notTaken: "the library does not accept Lockstep's code"
        }
    }
}
