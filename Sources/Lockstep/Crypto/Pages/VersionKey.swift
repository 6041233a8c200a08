/// A database key of a keyring, from which the keys of the files are derived.
///
/// - A file that the keyring records has a key of its own: HKDF-SHA256(database key, no salt,
///   info = "file/1" ‖ the file's identity, 32 bytes). Its salt is random.
/// - All others share one, together with its salt: key ‖ salt = HKDF-SHA256(database key, salt = the keyring's database
///   id, info = "sqlcipher raw key v1", 48 bytes). A program that creates a file under it, as one under a raw key, has to
///   record nothing.
struct VersionKey: ~Copyable, Sendable {
    /// The version.
    let version: UInt32
    private let secret: SecretBytes
    /// The keyring's database id.
    private let database: [UInt8]

    init(version: UInt32, _ secret: consuming SecretBytes, database: [UInt8]) {
        (self.version, self.database) = (version, database)
        self.secret = secret
    }

    /// The key that several files can have.
    borrowing func shared() throws(LockstepError) -> DatabaseKey {
        let info = Array("sqlcipher raw key v1".utf8)
        let derived = try HKDF.derive(
            secret.bytes, salt: database.span, info: info.span, count: DatabaseKey.length + DatabaseKey.saltLength)
        var salt: [UInt8] = []
        for index in DatabaseKey.length..<derived.count { salt.append(derived.bytes[index]) }
        return try DatabaseKey(secret: derived.prefix(DatabaseKey.length), salt: salt)
    }

    /// The key of one file.
    /// - Parameters:
    ///   - identity: The file's identity.
    ///   - salt: What the file begins with.
    borrowing func own(of identity: [UInt8], salt: [UInt8]) throws(LockstepError) -> DatabaseKey {
        var key = try DatabaseKey(secret: secret(of: identity), salt: salt)
        key.file = identity
        return key
    }

    /// What encrypts the file with this identity.
    borrowing func secret(of identity: [UInt8]) throws(LockstepError) -> SecretBytes {
        let info = Array("file/1".utf8) + identity
        return try HKDF.derive(secret, salt: [], info: info, count: DatabaseKey.length)
    }
}
