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
        let copy = try Passphrase(passphrase.secret.clone())
        return try examine(path, knownSalt: nil) { profile, salt in
            try profile.key(from: copy, salt: salt)
        }
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
        switch try firstVerifying(file, current, secret, salt: salt) {
        case 1: return .keyFits(strayBytes: file.size % current.pageSize)
        case .some: return .firstPageDamaged(saltDestroyed: false)
        case nil: break
        }
        if let knownSalt, knownSalt != salt,
            try firstVerifying(file, current, secret, salt: knownSalt) != nil
        {
            return .firstPageDamaged(saltDestroyed: true)
        }
        for profile in Profile.older {
            if try fits(file, profile, try key(profile, salt), salt: salt) {
                return .olderSQLCipher(version: profile.version)
            }
        }
        if file.size < current.pageSize { return .truncated(bytes: file.size) }
        return knownSalt == salt ? .destroyed : .wrongKey
    }

    /// Recognizes what shows without a key.
    private static func recognize(_ file: borrowing DatabaseFile) throws -> Diagnosis? {
        guard file.size > 0 else { return .empty }
        let head = try file.read(at: 0, 100)
        if head.starts(with: DatabaseFile.magic.prefix(head.count)) {
            // The log can hold the missing pages.
            let log = DatabaseFile.side("-wal", of: file.path)
            let hasLog = FileAccess.exists(log) ? try FileAccess.sizeOfRegularFile(log) > 32 : false
            return .plaintext(isCut: !hasLog && isCut(head, size: file.size))
        }
        if looksLikeHeader(head) { return .otherProduct }
        guard file.size >= Profile.older[0].pageSize else { return .truncated(bytes: file.size) }
        return nil
    }

    // MARK: Evidence

    /// The number of the first of up to 32 sampled pages that verifies.
    private static func firstVerifying(
        _ file: borrowing DatabaseFile, _ profile: Profile, _ key: borrowing SecretBytes,
        salt: [UInt8]
    ) throws -> UInt32? {
        let authenticator = try PageAuthenticator(profile, key: key, salt: salt)
        let logged = profile == .current ? try loggedPages(file.path, profile, authenticator) : []
        // A first page in the log replaces the one in the file.
        if logged.contains(1) { return 1 }
        let count = file.size / profile.pageSize
        // The first two, the last, and others spread evenly between them.
        let spread = (0..<28).map { 1 + $0 * max(count - 1, 0) / 28 }
        let sample = Set([1, 2, count] + spread).filter { (1...max(count, 1)).contains($0) }
        for number in sample.sorted() {
            let page = try file.read(at: (number - 1) * profile.pageSize, profile.pageSize)
            if try authenticator.verifies(page.span, number: UInt32(clamping: number)) {
                return UInt32(clamping: number)
            }
        }
        return logged.min()
    }

    /// Verified pages of the write-ahead log: the newest copy of page 1, and a few others.
    private static func loggedPages(
        _ path: FilePath, _ profile: Profile, _ authenticator: borrowing PageAuthenticator
    ) throws -> Set<UInt32> {
        let log = try WriteAheadLog(of: path, pageSize: profile.pageSize)
        guard let log else { return [] }
        let frames = try log.committedFrames()
        let sample = Array(frames.prefix(4)) + [frames.last { $0.page == 1 }].compactMap(\.self)
        var verified: Set<UInt32> = []
        for frame in sample {
            let page = try log.page(frame)
            if try authenticator.verifies(page.span, number: frame.page) {
                verified.insert(frame.page)
            }
        }
        return verified
    }

    private static func fits(
        _ file: borrowing DatabaseFile, _ profile: Profile, _ key: borrowing SecretBytes,
        salt: [UInt8]
    ) throws -> Bool {
        guard !profile.authenticates else {
            return try firstVerifying(file, profile, key, salt: salt) != nil
        }
        // Without MACs, the page's first block must decrypt to the fields of SQLite's header.
        let page = try file.read(at: 0, profile.pageSize)
        guard page.count == profile.pageSize else { return false }
        let vector = profile.pageSize - profile.reserve
        let block = try AES256CBC.decrypt(
            page.span.extracting(16..<32), key: key.bytes,
            initialisationVector: page.span.extracting(vector..<(vector + 16)))
        return looksLikeHeader([UInt8](repeating: 0, count: 16) + block)
    }

    /// Bytes 16 to 23 of SQLite's header ("Database File Format"): a page size that is a power of two
    /// from 512 to 65,536, write and read versions of 1 or 2, reserved bytes, and 64, 32, 32.
    private static func looksLikeHeader(_ head: [UInt8]) -> Bool {
        guard head.count >= 24 else { return false }
        let size = Int(head[16]) << 8 | Int(head[17])
        let plausible = size == 1 || (size >= 512 && size & (size - 1) == 0)
        return plausible && (1...2).contains(head[18]) && (1...2).contains(head[19])
            && head[21] == 64 && head[22] == 32 && head[23] == 32
    }

    private static func isCut(_ head: [UInt8], size: Int) -> Bool {
        guard head.count == 100 else { return true }
        let field = Int(head[16]) << 8 | Int(head[17])
        let pageSize = field == 1 ? 65_536 : field
        let pages = head[28..<32].reduce(0) { $0 << 8 | Int($1) }
        // Only programs that also write the counter after it maintain the count.
        let isKept = head[24..<28] == head[92..<96]
        return size < (isKept ? max(pages, 1) : 1) * pageSize
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
        case .otherProduct:
            LockstepError(
                .otherProduct, "\(path) was encrypted by a product other than SQLCipher",
                hint: "decrypt it with the product that made it, such as SEE or SQLite3 Multiple "
                    + "Ciphers, and import the content")
        case .keyFits: nil
        case .firstPageDamaged(let saltDestroyed):
            LockstepError(
                .damaged,
                "\(path): the key is right, but page 1 is damaged"
                    + (saltDestroyed ? ", including its salt" : ""),
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
