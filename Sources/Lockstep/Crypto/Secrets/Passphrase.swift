/// A passphrase: exact bytes, neither trimmed nor normalised.
///
/// Only keyring slots and database files made elsewhere are opened with one. Deriving a key from it is
/// slow by design.
public struct Passphrase: ~Copyable {
    /// More is a mistake rather than a passphrase, and would crowd the secure heap.
    static let longest = 4096

    let secret: SecretBytes

    /// Takes over `secret`.
    /// - Throws: ``LockstepError/Code/secretUnsuitable`` for an empty or over-long one, and for one that
    ///   SQLCipher would take for a raw key (67 or 99 bytes that begin `x'`).
    public init(_ secret: consuming SecretBytes) throws(LockstepError) {
        try Self.check(secret.bytes)
        self.secret = secret
    }

    /// Copies `bytes` into secure memory. Wiping the source is up to the caller.
    public init(_ bytes: Span<UInt8>) throws(LockstepError) {
        try Self.check(bytes)
        secret = try SecretBytes(copying: bytes)
    }

    /// Another copy, in secure memory of its own.
    public borrowing func clone() throws(LockstepError) -> Passphrase {
        try Passphrase(secret.clone())
    }

    /// Whether both are the same; takes the same time wherever they differ.
    public borrowing func matches(_ other: borrowing Passphrase) -> Bool { secret == other.secret }

    private static func check(_ bytes: Span<UInt8>) throws(LockstepError) {
        guard bytes.count > 0 else {
            throw LockstepError(
                .secretUnsuitable, "the passphrase is empty", hint: "give at least one character")
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
                .secretUnsuitable, "the passphrase has the shape of a raw SQLCipher key",
                hint: "give a raw key as a raw key; as a passphrase it would mean something else")
        }
    }
}
