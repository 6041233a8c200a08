/// A passphrase: exact bytes, neither trimmed nor normalized. The slots of keyrings normalize it (see
/// ``Credential/passphrase(_:)``); a database file made elsewhere takes it as it is.
///
/// It opens only keyring slots and database files made elsewhere. Deriving a key from it is slow by design.
public struct Passphrase: ~Copyable {
    /// Longer input is probably a mistake and would fill the secure heap.
    static let longest = 4096

    let secret: SecretBytes

    /// Takes ownership of `secret`.
    /// - Throws: ``LockstepError/Code/secretUnsuitable`` for an empty or too long secret, and for one that SQLCipher
    ///   would treat as a raw key (67 or 99 bytes that begin with `x'`).
    public init(_ secret: consuming SecretBytes) throws(LockstepError) {
        try Self.check(secret.bytes)
        self.secret = secret
    }

    /// Copies `bytes` into secure memory. The caller should wipe the source.
    /// - Throws: ``LockstepError/Code/secretUnsuitable``, as for a secret;
    ///   ``LockstepError/Code/secureMemoryExhausted``.
    public init(_ bytes: Span<UInt8>) throws(LockstepError) {
        try Self.check(bytes)
        secret = try SecretBytes(copying: bytes)
    }

    /// A copy in its own secure memory.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public borrowing func clone() throws(LockstepError) -> Passphrase {
        try Passphrase(secret.clone())
    }

    /// Whether both are equal, compared in constant time.
    public borrowing func matches(_ other: borrowing Passphrase) -> Bool { secret == other.secret }

    private static func check(_ bytes: Span<UInt8>) throws(LockstepError) {
        guard bytes.count > 0 else {
            throw LockstepError(.secretUnsuitable, "the passphrase is empty", hint: "give at least one character")
        }
        guard bytes.count <= longest else {
            throw LockstepError(
                .secretUnsuitable, "the passphrase is longer than \(longest) bytes",
                hint: "use a key file for secrets of that size")
        }
        let looksLikeKeyspec =
            (bytes.count == 67 || bytes.count == 99) && bytes[0] | 0x20 == UInt8(ascii: "x")
            && bytes[1] == UInt8(ascii: "'")
        guard !looksLikeKeyspec else {
            throw LockstepError(
                .secretUnsuitable, "the passphrase has the form of a raw SQLCipher key",
                hint: "give a raw key as a raw key, not as a passphrase")
        }
    }
}
