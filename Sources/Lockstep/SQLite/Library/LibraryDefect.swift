/// Something that the loaded SQLite or SQLCipher gets wrong, and what Lockstep does about it.
///
/// ``all`` is the list. A row stays in it when a new release mends the defect: distributions keep old releases for
/// years. `LibraryDefectTests` names the test of each row.
public struct LibraryDefect: Sendable, Hashable {
    /// Stable: JSON output uses it.
    public let id: String
    /// What goes wrong, and in which releases.
    public let effect: String
    /// What Lockstep does, and what its user has to do.
    public let answer: String
    /// The answer in a few words.
    public let shortAnswer: String
    /// Whether a release has it.
    let isIn: @Sendable (LibraryVersions) -> Bool

    /// By ``id``, which is unique.
    public static func == (left: LibraryDefect, right: LibraryDefect) -> Bool {
        left.id == right.id
    }

    /// By ``id``.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The numbers of a release, as the library itself gives them.
struct LibraryVersions: Sendable, Hashable {
    /// SQLite's, such as 3046001 for 3.46.1.
    let sqlite: Int
    /// SQLCipher's, such as `4.6.1 community`.
    let cipher: String
    /// The name of the provider that SQLCipher was built with.
    let stockProvider: String

    /// SQLCipher's number alone, as SQLite counts: 4006001 for 4.6.1. Nil where it does not begin with one.
    var cipherNumber: Int? {
        let parts = cipher.split(separator: " ").first?.split(separator: ".").map { Int($0) } ?? []
        guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2]
        else { return nil }
        return major * 1_000_000 + minor * 1_000 + patch
    }
}

extension LibraryDefect {
    /// Two processes: a checkpoint and a commit that begins the log again.
    static let walReset = LibraryDefect(
        id: "wal-reset",
        effect:
            "SQLite before 3.51.3 can lose acknowledged commits when a passive checkpoint meets a commit of "
            + "another connection that begins the log again",
        answer:
            "Lockstep stops such a checkpoint; other programs that write to the same file stay exposed",
        shortAnswer: "a guard stops it"
    ) { versions in
        switch versions.sqlite {
        case 3_044_006..<3_045_000, 3_050_007..<3_051_000: false
        default: versions.sqlite < 3_051_003
        }
    }

    /// Two processes: one leaves WAL mode, as a rotation of keys does, and another opens the file. See ``LogRemovalGuard``.
    static let leavingWAL = LibraryDefect(
        id: "leaving-wal",
        effect:
            "SQLite damages a database that another process opens and writes to while one leaves WAL mode: between the "
            + "removal of the log and the change of the header it gives back the exclusive lock",
        answer:
            "Lockstep keeps the lock until the header is written; other programs that leave WAL mode of the same file "
            + "stay exposed",
        shortAnswer: "a guard keeps the lock"
    ) { _ in true }

    /// CVE-2026-11822 and CVE-2026-11824.
    static let fullText = LibraryDefect(
        id: "fts5-shadow",
        effect:
            "SQLite before 3.53.2 writes beyond its memory where the tables of an FTS5 index were crafted "
            + "(CVE-2026-11822, CVE-2026-11824)",
        answer:
            "adopt, salvage and restore never open the FTS5 tables of the file that they read, and adopt and "
            + "salvage build the index from its texts; search no database that strangers could write to",
        shortAnswer: "never opened in files of others"
    ) { $0.sqlite < 3_053_002 }

    /// CVE-2025-6965.
    static let aggregates = LibraryDefect(
        id: "aggregate-terms",
        effect:
            "SQLite before 3.50.2 loses count in a statement with more than 32,767 columns and functions "
            + "(CVE-2025-6965)",
        answer: "Lockstep refuses such a statement",
        shortAnswer: "refused"
    ) { $0.sqlite < 3_050_002 }

    /// Keeps answering OK.
    static let rekey = LibraryDefect(
        id: "rekey",
        effect: "SQLCipher's PRAGMA rekey answers OK where it failed",
        answer: "Lockstep refuses the pragma, and rotates keys into a new file",
        shortAnswer: "never used"
    ) { _ in true }

    /// Its locks lie in memory that was freed.
    static let lateProvider = LibraryDefect(
        id: "late-provider",
        effect:
            "SQLCipher hangs when a provider is registered after the last keyed database was closed",
        answer: "Lockstep keeps one keyed database in memory open",
        shortAnswer: "kept from happening"
    ) { $0.stockProvider == "openssl" && ($0.cipherNumber ?? 0) < 4_007_000 }

    /// What to do where the layout of a release's provider is not known.
    static let providerLayout = LibraryDefect(
        id: "provider-layout",
        effect: "the layout of this SQLCipher's providers is not known to Lockstep",
        answer:
            "SQLCipher's own code encrypts the pages: files are the same, commits and scans take some 15 to 25 % "
            + "longer",
        shortAnswer: "SQLCipher's own code is used"
    ) { $0.stockProvider == "openssl" && !CryptoProvider.knownVersions.contains($0.cipher) }

    /// LibTomCrypt, NSS, CommonCrypto.
    static let otherProvider = LibraryDefect(
        id: "other-provider",
        effect: "this SQLCipher encrypts with another library than OpenSSL",
        answer:
            "Lockstep leaves it as it is: files are the same, and what they cost was never measured",
        shortAnswer: "SQLCipher's own code is used"
    ) { !["openssl", "\(CryptoProvider.name)"].contains($0.stockProvider) }

    /// Every defect that is known, in the order of its danger.
    public static let all = [
        walReset, leavingWAL, fullText, aggregates, rekey, lateProvider, providerLayout,
        otherProvider,
    ]
}
