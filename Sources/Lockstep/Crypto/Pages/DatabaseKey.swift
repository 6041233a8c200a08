public import SystemPackage

/// The 32 random bytes that encrypt a database file, with the salt that a new file starts with.
///
/// Opening with it costs half a millisecond: nothing is stretched. The salt is derived along with the
/// key, so that the first 16 bytes of a file tell, without being secret, whether the file was made
/// under this key: that keeps "wrong key" and "first page destroyed" apart.
public struct DatabaseKey: ~Copyable, Sendable {
    /// Bytes of a key.
    static let length = 32
    /// Bytes of the id of a database, which distinguishes it from others whatever key it is under.
    static let idLength = 16
    /// Bytes of a salt, the first of every SQLCipher file.
    static let saltLength = 16

    let secret: SecretBytes
    let salt: [UInt8]
    /// The keyring that it came out of, if it did: what opening compares with what the database remembers.
    var origin: Origin?

    /// A version of a keyring.
    struct Origin: Sendable, Equatable {
        let ring: [UInt8]
        /// The rings that this one took the place of.
        let formerRings: Set<[UInt8]>
        /// How often the keyring had been written.
        let epoch: UInt64
        /// Whether the key is one that a rotation has yet to put in use: the file may be a version ahead.
        let isPending: Bool
        /// Whether the keyring lists databases, which then remember it.
        let isBound: Bool
        /// The id that a database gets which is made under the key; random if nil.
        var newDatabase: [UInt8]?
    }

    /// A key and the salt for files made under it.
    init(secret: consuming SecretBytes, salt: [UInt8]) throws(LockstepError) {
        guard secret.count == Self.length, salt.count == Self.saltLength else {
            throw LockstepError(
                .misuse,
                "a database key is 32 bytes and its salt 16, not \(secret.count) and \(salt.count)")
        }
        self.secret = secret
        self.salt = salt
    }

    /// Derives a file's key from a keyring's data key and the database's identifier.
    ///
    /// key ‖ salt = HKDF-SHA256(data key, salt = database id, info = "sqlcipher raw key v1", 48 bytes).
    init(dataKey: borrowing SecretBytes, database: [UInt8]) throws(LockstepError) {
        let info = Array("sqlcipher raw key v1".utf8)
        let derived = try HKDF.derive(
            dataKey.bytes, salt: database.span, info: info.span,
            count: Self.length + Self.saltLength)
        var salt: [UInt8] = []
        for index in Self.length..<derived.count { salt.append(derived.bytes[index]) }
        try self.init(secret: derived.prefix(Self.length), salt: salt)
    }

    /// A random key, for files that live no longer than the process.
    static func ephemeral() throws(LockstepError) -> DatabaseKey {
        try DatabaseKey(
            secret: SecretBytes(random: length), salt: Random.bytes(saltLength))
    }

    /// Another copy, in secure memory of its own.
    public borrowing func clone() throws(LockstepError) -> DatabaseKey {
        var copy = try DatabaseKey(secret: secret.clone(), salt: salt)
        copy.origin = origin
        return copy
    }

    /// A copy that opens any file of this key, whatever that remembers of the keyring: for files that are being made or
    /// put back.
    borrowing func withoutOrigin() throws(LockstepError) -> DatabaseKey {
        var copy = try clone()
        copy.origin = nil
        return copy
    }

    /// Writes the raw key as SQLCipher's other programs take it, `x'` 64 hex digits `'`, and a line feed.
    ///
    /// Whoever reads it opens the database. It goes out by itself so that no buffer of the program
    /// keeps a copy.
    public borrowing func writeKeyspec(to file: FileDescriptor) throws {
        let spec = try keyspec(withSalt: false)
        let bytes = spec.bytes
        try translatingErrno("write", "the raw key") {
            _ = try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll($0) }
            _ = try file.writeAll([UInt8(ascii: "\n")])
        }
    }

    /// What SQLCipher takes for a raw key: `x'`, 64 hex digits, for a new file 32 more of the salt, `'`.
    ///
    /// Any other length would silently be taken for a passphrase, so the length is checked.
    borrowing func keyspec(withSalt: Bool) throws(LockstepError) -> SecretBytes {
        let digits = (Self.length + (withSalt ? Self.saltLength : 0)) * 2
        var spec = try SecretBytes(zeroed: digits + 3)
        var text = spec.mutableBytes
        text[0] = UInt8(ascii: "x")
        text[1] = UInt8(ascii: "'")
        var position = 2
        func put(_ byte: UInt8, _ text: inout MutableSpan<UInt8>) {
            text[position] = Hex.digit(byte >> 4)
            text[position + 1] = Hex.digit(byte & 15)
            position += 2
        }
        for index in 0..<Self.length { put(secret.bytes[index], &text) }
        if withSalt { for byte in salt { put(byte, &text) } }
        text[position] = UInt8(ascii: "'")
        guard spec.count == (withSalt ? 99 : 67), position == spec.count - 1 else {
            throw LockstepError(.misuse, "a keyspec came out \(spec.count) bytes long")
        }
        return spec
    }
}
