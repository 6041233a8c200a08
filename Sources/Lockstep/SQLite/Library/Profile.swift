/// How a SQLCipher file is laid out and encrypted. The numbers are the defaults of SQLCipher's releases (its manual,
/// `PRAGMA cipher_compatibility`); a program can change each of them.
struct Profile: Sendable, Equatable {
    /// SQLCipher's major version, whose defaults these are or were before the program changed them.
    var version: Int
    /// Bytes of a page.
    var pageSize: Int
    /// The hash function of the MAC; nil if pages have none, as in version 1.
    var mac: HashFunction?
    /// The hash function of the key derivation, from a passphrase to the key and from there to the MAC's key.
    var derivation: HashFunction
    /// Rounds that derive the key from a passphrase.
    var rounds: Int
    /// Rounds that derive the MAC's key from the key.
    var macRounds = 2
    /// What is combined with every byte of the salt for the MAC's key.
    var saltMask: UInt8 = 0x3A
    /// Whether page numbers in MACs are big-endian.
    var hasBigEndianNumbers = false
    /// Bytes at the file's start that are not encrypted, if they are more than the salt: a multiple of 16. The salt is
    /// then kept elsewhere.
    var plaintextHeader = 0

    /// Bytes at each page's end for the initialisation vector and the MAC, in whole blocks of the cipher. The file's
    /// header can say more: if a program changes the MAC of a new file, SQLite keeps the room for that of the default.
    var reserve: Int {
        let bytes = Self.vectorLength + (mac?.length ?? 0)
        return (bytes + Self.vectorLength - 1) / Self.vectorLength * Self.vectorLength
    }

    /// The place of the MAC in a page; empty without one.
    var codeRange: Range<Int> {
        let start = pageSize - reserve + Self.vectorLength
        return start..<(start + (mac?.length ?? 0))
    }

    /// Whether pages have MACs.
    var authenticates: Bool { mac != nil }

    /// The first byte of page 1 that is encrypted.
    var firstEncrypted: Int { plaintextHeader > 0 ? plaintextHeader : DatabaseKey.saltLength }

    /// The profile that Lockstep writes, so that every SQLCipher 4 opens its files. Another page size is not an
    /// option: from one, `VACUUM INTO` and the backup API report OK but write files that do not open.
    static let current = Profile(version: 4, pageSize: 4096, mac: .sha512, derivation: .sha512, rounds: 256_000)

    /// The profiles of older versions, newest first.
    static let older = [
        Profile(version: 3, pageSize: 1024, mac: .sha1, derivation: .sha1, rounds: 64_000),
        Profile(version: 2, pageSize: 1024, mac: .sha1, derivation: .sha1, rounds: 4000),
        Profile(version: 1, pageSize: 1024, mac: nil, derivation: .sha1, rounds: 4000),
    ]

    /// Those of all versions.
    static let defaults = [current] + older

    /// The page sizes of SQLite, the usual ones first.
    static let pageSizes = [4096, 1024, 8192, 16_384, 2048, 512, 32_768, 65_536]

    /// The number of the page at 1 GiB. SQLite keeps it free of content for its locks; its bytes have no
    /// meaning ("Database File Format", section 1.5).
    var lockPage: UInt32 { UInt32(clamping: (1 << 30) / pageSize + 1) }

    /// Bytes of the initialisation vector, which is the first part of the reserve.
    static let vectorLength = 16

    /// The key that a passphrase yields in a file with this salt.
    func key(
        from passphrase: borrowing Passphrase, salt: [UInt8]
    ) throws(LockstepError) -> SecretBytes {
        try PBKDF2.derive(
            derivation, passphrase.secret.bytes, salt: salt.span, rounds: rounds, count: DatabaseKey.length)
    }
}
