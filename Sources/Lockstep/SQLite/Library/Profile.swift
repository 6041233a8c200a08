/// How a SQLCipher version lays out and encrypts pages. The numbers are the defaults of its releases
/// (SQLCipher's manual, `PRAGMA cipher_compatibility`).
struct Profile: Sendable, Equatable {
    /// SQLCipher's major version.
    let version: Int
    /// Bytes of a page.
    let pageSize: Int
    /// Bytes at each page's end for the initialisation vector and the MAC.
    let reserve: Int
    /// The hash function of the MAC and of the key derivation.
    let hash: HashFunction
    /// Rounds that derive the key from a passphrase.
    let rounds: Int
    /// False only for version 1, which had no MAC.
    let authenticates: Bool

    /// The profile that Lockstep writes, so that every SQLCipher 4 opens its files. Another page size is not an
    /// option: from one, `VACUUM INTO` and the backup API report OK but write files that do not open.
    static let current = Profile(
        version: 4, pageSize: 4096, reserve: 80, hash: .sha512, rounds: 256_000,
        authenticates: true)

    /// The profiles of older versions, newest first.
    static let older = [
        Profile(
            version: 3, pageSize: 1024, reserve: 48, hash: .sha1, rounds: 64_000,
            authenticates: true),
        Profile(
            version: 2, pageSize: 1024, reserve: 48, hash: .sha1, rounds: 4000,
            authenticates: true),
        Profile(
            version: 1, pageSize: 1024, reserve: 16, hash: .sha1, rounds: 4000,
            authenticates: false),
    ]

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
            hash, passphrase.secret.bytes, salt: salt.span, rounds: rounds,
            count: DatabaseKey.length)
    }
}
