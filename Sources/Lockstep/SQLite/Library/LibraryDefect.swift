/// A defect in the loaded SQLite or SQLCipher, and how Lockstep handles it.
///
/// ``all`` is the list. A row stays in it when a new release fixes the defect: distributions keep old releases
/// for years. `LibraryDefectTests` names the test of each row.
public struct LibraryDefect: Sendable, Hashable {
    /// Stable: JSON output uses it.
    public let id: String
    /// The effect, and the affected releases.
    public let effect: String
    /// Lockstep's remedy, and its user's part in it.
    public let answer: String
    /// The answer in a few words.
    public let shortAnswer: String
    /// Whether a release has the defect.
    let isIn: @Sendable (LibraryVersions) -> Bool

    /// Compares by ``id``, which is unique.
    public static func == (left: LibraryDefect, right: LibraryDefect) -> Bool {
        left.id == right.id
    }

    /// Hashes the ``id``.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The version numbers of a release, as the library reports them.
struct LibraryVersions: Sendable, Hashable {
    /// SQLite's, such as 3046001 for 3.46.1.
    let sqlite: Int
    /// SQLCipher's, such as `4.6.1 community`.
    let cipher: String
    /// The name of the provider that SQLCipher was built with.
    let stockProvider: String

    /// SQLCipher's number alone, in SQLite's format: 4006001 for 4.6.1. Nil if the text does not begin with
    /// one.
    var cipherNumber: Int? {
        let parts = cipher.split(separator: " ").first?.split(separator: ".").map { Int($0) } ?? []
        guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2] else { return nil }
        return major * 1_000_000 + minor * 1_000 + patch
    }
}

extension LibraryDefect {
    /// Two processes: a checkpoint and a commit that restarts the log.
    static let walReset = LibraryDefect(
        id: "wal-reset",
        effect:
            "SQLite before 3.51.3 can lose acknowledged commits when a passive checkpoint meets "
            + "another connection's commit that restarts the log",
        answer:
            "Lockstep stops such a checkpoint; other programs that write to the same file remain "
            + "exposed",
        shortAnswer: "a guard stops it"
    ) { versions in
        switch versions.sqlite {
        case 3_044_006..<3_045_000, 3_050_007..<3_051_000: false
        default: versions.sqlite < 3_051_003
        }
    }

    /// Two processes: one leaves WAL mode, as a key rotation does, and another opens the file. See
    /// ``LogRemovalGuard``.
    static let leavingWAL = LibraryDefect(
        id: "leaving-wal",
        effect:
            "SQLite damages a database if another process opens and writes to it while one leaves "
            + "WAL mode: between removing the log and changing the header it releases the " + "exclusive lock",
        answer:
            "Lockstep keeps the lock until the header is written; other programs that switch the "
            + "same file out of WAL mode remain exposed",
        shortAnswer: "a guard keeps the lock"
    ) { _ in true }

    /// CVE-2026-11822 and CVE-2026-11824.
    static let fullText = LibraryDefect(
        id: "fts5-shadow",
        effect:
            "SQLite before 3.53.2 writes out of bounds if the tables of an FTS5 index were crafted "
            + "(CVE-2026-11822, CVE-2026-11824)",
        answer:
            "adopt, salvage and restore never open the FTS5 tables of the file that they read, and "
            + "adopt and salvage rebuild the index from its texts; do not search a database that "
            + "strangers could write to",
        shortAnswer: "never opened in untrusted files"
    ) { $0.sqlite < 3_053_002 }

    /// CVE-2025-6965.
    static let aggregates = LibraryDefect(
        id: "aggregate-terms",
        effect:
            "SQLite before 3.50.2 miscounts in a statement with more than 32,767 columns and "
            + "functions (CVE-2025-6965)",
        answer: "Lockstep refuses such a statement",
        shortAnswer: "refused"
    ) { $0.sqlite < 3_050_002 }

    /// Reports OK after a failure.
    static let rekey = LibraryDefect(
        id: "rekey",
        effect: "SQLCipher's PRAGMA rekey reports OK after a failure",
        answer: "Lockstep refuses the pragma, and rotates keys into a new file", shortAnswer: "never used"
    ) { _ in true }

    /// SQLCipher's locks are in freed memory.
    static let lateProvider = LibraryDefect(
        id: "late-provider",
        effect:
            "SQLCipher hangs when a provider is registered after the last keyed database was "
            + "closed",
        answer: "Lockstep keeps one keyed database in memory open",
        shortAnswer: "prevented"
    ) { $0.stockProvider == "openssl" && ($0.cipherNumber ?? 0) < 4_007_000 }

    /// For a release whose provider's layout is not known.
    static let providerLayout = LibraryDefect(
        id: "provider-layout", effect: "Lockstep does not know the layout of this SQLCipher's providers",
        answer:
            "SQLCipher's own code encrypts the pages: the files are the same, commits and scans "
            + "take some 15 to 25 % longer",
        shortAnswer: "SQLCipher's own code is used"
    ) { $0.stockProvider == "openssl" && !CryptoProvider.knownVersions.contains($0.cipher) }

    /// LibTomCrypt, NSS, CommonCrypto.
    static let otherProvider = LibraryDefect(
        id: "other-provider",
        effect: "this SQLCipher does not encrypt with OpenSSL",
        answer:
            "Lockstep leaves it in place: the files are the same, and the speed was never measured",
        shortAnswer: "SQLCipher's own code is used"
    ) { !["openssl", "\(CryptoProvider.name)"].contains($0.stockProvider) }

    /// Every known defect, most dangerous first.
    public static let all = [
        walReset, leavingWAL, fullText, aggregates, rekey, lateProvider, providerLayout, otherProvider,
    ]
}
