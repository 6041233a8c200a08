public import SystemPackage

/// The reason that a database file does not open, or the finding that it should.
///
/// SQLCipher reports the same code for a wrong key, a damaged first page, a plaintext file and another
/// product's file. This examines the bytes, checks MACs itself, and never writes.
public enum Diagnosis: Sendable, Hashable {
    /// No bytes: a new database can be created here.
    case empty
    /// Too short for a page, with no recognizable content.
    case truncated(bytes: Int)
    /// A plaintext SQLite database; `isCut` if it ends before its last page.
    case plaintext(isCut: Bool)
    /// A SQLCipher file that begins with a plaintext header (`cipher_plaintext_header_size`); the rest is encrypted.
    case plaintextHeader
    /// Encrypted by SEE, SQLite3 Multiple Ciphers, Couchbase or a similar product, which leave SQLite's header
    /// fields readable.
    case otherProduct
    /// The key fits. `strayBytes` follow the last whole page.
    case keyFits(strayBytes: Int)
    /// The key fits, but the first page does not verify; `saltDestroyed` if its first 16 bytes are not the salt
    /// of files under this key.
    case firstPageDamaged(saltDestroyed: Bool)
    /// A file of SQLCipher 1, 2 or 3, and the key fits.
    case olderSQLCipher(version: Int)
    /// The file begins like files under this key, but none of its pages verifies.
    case destroyed
    /// Nothing verifies: the key belongs to another file, or nothing of the file is intact.
    case wrongKey

    /// Examines a file with the key that should open it.
    /// - Throws: ``LockstepError/Code/notFound``, ``LockstepError/Code/notAFile``, ``LockstepError/Code/inputOutput``
    ///   if the file cannot be read. What is wrong with its content is the result.
    public static func examine(
        _ path: FilePath, key: borrowing DatabaseKey
    ) throws -> Diagnosis {
        let secret = try key.secret.clone()
        return try examine(path, knownSalt: key.salt) { _, _ in try secret.clone() }
    }

    /// Examines a file from another program with what opens it there, under the settings of each version of SQLCipher.
    static func examine(_ path: FilePath, _ key: ForeignKey) throws -> Diagnosis {
        try examine(path, knownSalt: nil) { profile, salt in
            try key.secret(profile, salt: key.salt ?? salt)
        }
    }

    /// Checks, without a key, that `path` can hold an encrypted database.
    /// - Throws: ``LockstepError`` for a path that is not a file, an empty file, a plaintext database and
    ///   similar cases; see ``Diagnosis``.
    public static func requireDatabase(_ path: FilePath) throws {
        let file = try DatabaseFile(path)
        if let obvious = try recognize(file), let error = obvious.error(path) { throw error }
    }

    /// Examines a file without a key: an encrypted one is ``wrongKey``, since no key fits it.
    package static func examinePlaintext(_ path: FilePath) throws -> Diagnosis {
        try recognize(DatabaseFile(path)) ?? .wrongKey
    }

    /// Examines a file from another program with its passphrase. Each version costs a key derivation, 0.3 to 2
    /// s.
    /// - Throws: The same as with a key.
    public static func examine(
        _ path: FilePath, passphrase: borrowing Passphrase
    ) throws -> Diagnosis {
        try examine(path, ForeignKey(passphrase))
    }

    private static func examine(
        _ path: FilePath, knownSalt: [UInt8]?,
        _ key: (Profile, [UInt8]) throws -> SecretBytes
    ) throws -> Diagnosis {
        let file = try DatabaseFile(path)
        if let obvious = try recognize(file) { return obvious }
        let salt = try file.read(at: 0, DatabaseKey.saltLength)
        let current = Profile.current
        let secret = try key(current, salt)
        switch try KeyEvidence.firstVerifying(file, current, secret, salt: salt) {
        case 1: return .keyFits(strayBytes: file.size % current.pageSize)
        case .some: return .firstPageDamaged(saltDestroyed: false)
        case nil: break
        }
        if let knownSalt, knownSalt != salt,
            try KeyEvidence.firstVerifying(file, current, secret, salt: knownSalt) != nil
        {
            return .firstPageDamaged(saltDestroyed: true)
        }
        for profile in Profile.older {
            if try KeyEvidence.fits(file, profile, try key(profile, salt), salt: salt) {
                return .olderSQLCipher(version: profile.version)
            }
        }
        if file.size < current.pageSize { return .truncated(bytes: file.size) }
        return knownSalt == salt ? .destroyed : .wrongKey
    }

    /// Recognizes what shows without a key.
    static func recognize(_ file: borrowing DatabaseFile) throws -> Diagnosis? {
        guard file.size > 0 else { return .empty }
        let header = FileHeader(bytes: try file.read(at: 0, 65_536))
        if header.hasMagic {
            if header.isPlaintextOfCiphertext { return .plaintextHeader }
            // The log can hold the missing pages.
            let log = DatabaseFile.side("-wal", of: file.path)
            let hasLog = FileAccess.exists(log) ? try FileAccess.sizeOfRegularFile(log) > 32 : false
            return .plaintext(isCut: !hasLog && header.isCut(file.size))
        }
        if header.isPlausible { return .otherProduct }
        guard file.size >= Profile.older[0].pageSize else { return .truncated(bytes: file.size) }
        return nil
    }
}

extension Diagnosis {
    /// The error for a failed attempt to open the file, or nil if it should have opened.
    func error(_ path: FilePath) -> LockstepError? { finding(path)?.adding(.file(path)) }

    private func finding(_ path: FilePath) -> LockstepError? {
        switch self {
        case .empty:
            LockstepError(
                .emptyDatabase, "\(path) is empty: it holds no database",
                advice:
                    "restore it from a backup; to start over, remove the file and run \(.createDatabase)"
            )
        case .truncated(let bytes):
            LockstepError(
                .truncated, "\(path) ends after \(counted(bytes, "byte")), too few for a database",
                hint: "restore it from a backup")
        case .plaintext(isCut: false):
            LockstepError(
                .plaintextDatabase, "\(path) is a plaintext SQLite database",
                advice:
                    "it is not encrypted: use \(.adopt) to make an encrypted copy, then destroy the file"
            )
        case .plaintext(isCut: true):
            LockstepError(
                .truncated, "\(path) is a plaintext SQLite database that was cut off",
                advice:
                    "restore it from a backup, or recover what is readable with \(.salvageForeign)")
        case .plaintextHeader:
            LockstepError(
                .otherSettings, "\(path) is a SQLCipher file with a plaintext header: the rest of it is encrypted",
                advice:
                    "use \(.adopt) with its key and \(.sourceSettings("cipher_plaintext_header_size and cipher_salt"))")
        case .otherProduct:
            LockstepError(
                .otherProduct, "\(path) was encrypted by a product other than SQLCipher",
                hint: "decrypt it with the product that made it, such as SEE or SQLite3 Multiple "
                    + "Ciphers, and import the content")
        case .keyFits: nil
        case .firstPageDamaged(let saltDestroyed):
            LockstepError(
                .damaged,
                "\(path): the key is right, but page 1 is damaged" + (saltDestroyed ? ", including its salt" : ""),
                advice: "restore it from a backup, or recover the other pages with \(.salvage)")
        case .olderSQLCipher(let version):
            LockstepError(
                .olderSQLCipher, "\(path) is a SQLCipher \(version) file, and the key fits",
                hint: "convert a copy with `PRAGMA cipher_migrate` in the sqlcipher shell")
        case .destroyed:
            LockstepError(
                .damaged,
                "\(path) was encrypted with this key, but none of its pages verifies: it is "
                    + "damaged",
                hint: "restore it from a backup")
        case .wrongKey:
            LockstepError(
                .wrongKey, "the key does not fit \(path): the file was encrypted with another key",
                hint: "check that the keyring belongs to this database (each database has its own)")
        }
    }
}
