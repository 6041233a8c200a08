/// How a version of SQLCipher lays out and encrypts pages. The numbers are the defaults of its releases
/// (SQLCipher's manual, `PRAGMA cipher_compatibility`).
struct Profile: Sendable, Equatable {
    /// SQLCipher's major version.
    let version: Int
    /// Bytes of a page.
    let pageSize: Int
    /// Bytes at each page's end for the initialisation vector and the MAC.
    let reserve: Int
    /// The MAC's and the key derivation's hash function.
    let hash: HashFunction
    /// Rounds that stretch a passphrase.
    let rounds: Int
    /// Version 1 had no MAC.
    let authenticates: Bool

    /// What Lockstep writes, so that every SQLCipher 4 opens its files. The page size is not a taste:
    /// `VACUUM INTO` and the backup API from another one answer OK and write files that cannot be opened.
    static let current = Profile(
        version: 4, pageSize: 4096, reserve: 80, hash: .sha512, rounds: 256_000,
        authenticates: true)

    /// What files of older versions may be, newest first.
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

    /// SQLite keeps the page that the bytes from 1 GiB on lie in free of content, for its locks; what
    /// stands there means nothing ("Database File Format", section 1.5).
    var lockPage: UInt32 { UInt32(clamping: (1 << 30) / pageSize + 1) }

    /// Bytes of the initialisation vector, which opens the reserve.
    static let vectorLength = 16

    /// The key that a passphrase means in a file with this salt.
    func key(
        from passphrase: borrowing Passphrase, salt: [UInt8]
    ) throws(LockstepError) -> SecretBytes {
        try PBKDF2.derive(
            hash, passphrase.secret.bytes, salt: salt.span, rounds: rounds,
            count: DatabaseKey.length)
    }
}
