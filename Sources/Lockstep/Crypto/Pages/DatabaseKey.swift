public import SystemPackage

/// The 32 bytes that encrypt a database file, with the salt that the file starts with.
///
/// Opening a file with it takes half a millisecond because nothing is stretched. Each file that a keyring records has a
/// key and a salt of its own: a page of one is not valid in another. The keyring records the salt, so the first 16 bytes
/// of a file, which are not secret, show which key it has. This distinguishes a wrong key from a destroyed first page.
public struct DatabaseKey: ~Copyable, Sendable {
    /// Bytes of a key.
    static let length = 32
    /// Bytes of a database id, which identifies the database regardless of its key.
    static let idLength = 16
    /// Bytes of a salt, which begins every SQLCipher file.
    static let saltLength = 16

    let secret: SecretBytes
    let salt: [UInt8]
    /// The identity from which it was derived; nil for a key that several files can have.
    var file: [UInt8]?
    /// The keyring of the key, if any. Opening compares it with the keyring that the database records.
    var origin: Origin?
    /// The databases of which others are forks, by the forks' identities, as the keyring records them.
    var forks: [[UInt8]: [UInt8]] = [:]

    /// A version of a keyring.
    struct Origin: Sendable {
        let ring: [UInt8]
        /// The rings that this one replaced.
        let formerRings: Set<[UInt8]>
        /// How many times the keyring has been written.
        let epoch: UInt64
        /// The version of the key.
        let keyVersion: UInt32
        /// The keyring's file, as an absolute path; nil if it is not known.
        var keyring: FilePath?
        /// Whether the keyring is signed, so that only its publisher changes what it records.
        var isSigned = false
        /// Whether the key is the pending key of an unfinished rotation: the file can be a version ahead.
        let isPending: Bool
        /// What became of a key that makes nothing new, and when; nil for one in use.
        let closing: String?
        /// The databases that the keyring records, which then record the keyring; empty if it records none. A key of a
        /// keyring that records any opens no other database.
        var files: [RecordedFile]
        /// The database keys of the file and of others that the keyring records, or that a rotation is about to use.
        var versions: [SharedSecret<VersionKey>] = []
        /// The id of a new database made with the key; random if nil.
        var newDatabase: [UInt8]?
    }

    /// A database as its keyring records it.
    struct RecordedFile: Sendable {
        let identity: [UInt8]
        /// The key under which it was last seen; nil for a file that is being made.
        var keyVersion: UInt32?
        /// With what its file began then, if that had a key of its own.
        var salt: [UInt8]?
        /// Where it was last seen, relative to the keyring's folder or absolute; nil if that is not known.
        var recordedPath: FilePath?
        /// The keyring's folder, as an absolute path; nil if it is not known.
        var folder: FilePath?
        /// Where it was last seen, as an absolute path; nil if that is not known.
        ///
        /// Computed on demand: a keyring can record a thousand databases, and an opening asks for one.
        var path: FilePath? {
            guard let recordedPath, recordedPath.isRelative else { return recordedPath }
            return folder?.appending(recordedPath.components).lexicallyNormalized()
        }
        /// The epoch of the keyring that it is known to have recorded; 0 if none is known.
        var seen: UInt64 = 0
        /// The database of which this one is a fork that was begun, and perhaps not finished.
        var unfinishedOrigin: [UInt8]?

        /// Whether a file of the other identity can be this database, whose fork was interrupted.
        func isUnfinishedFork(of other: [UInt8]) -> Bool { unfinishedOrigin == other }
    }

    /// A key and the salt of files made with it.
    package init(secret: consuming SecretBytes, salt: [UInt8]) throws(LockstepError) {
        guard secret.count == Self.length, salt.count == Self.saltLength else {
            throw LockstepError(
                .misuse, "a database key has 32 bytes and its salt 16, not \(secret.count) and " + "\(salt.count)")
        }
        self.secret = secret
        self.salt = salt
    }

    /// A random key for files that do not outlive the process.
    package static func ephemeral() throws(LockstepError) -> DatabaseKey {
        try DatabaseKey(
            secret: SecretBytes(random: length), salt: Random.bytes(saltLength))
    }

    /// A copy in its own secure memory.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public borrowing func clone() throws(LockstepError) -> DatabaseKey {
        var copy = try DatabaseKey(secret: secret.clone(), salt: salt)
        (copy.origin, copy.forks, copy.file) = (origin, forks, file)
        return copy
    }

    /// A copy for another file of the same database, such as a backup, which begins with a salt of its own: no page of
    /// one is valid in the other.
    borrowing func forCopy() throws(LockstepError) -> DatabaseKey {
        var copy = try DatabaseKey(secret: secret.clone(), salt: Random.bytes(Self.saltLength))
        (copy.origin, copy.forks, copy.file) = (origin, forks, file)
        return copy
    }

    /// A copy for making a database, whose identity is chosen now: the copy opens the database from then on, although
    /// the keyring does not record it yet.
    borrowing func forNewDatabase() throws(LockstepError) -> DatabaseKey {
        var copy = try clone()
        guard var origin = copy.origin else { return copy }
        let identity = if let chosen = origin.newDatabase { chosen } else { try Random.bytes(Self.idLength) }
        origin.newDatabase = identity
        if !origin.files.isEmpty { origin.files.append(RecordedFile(identity: identity)) }
        copy.origin = origin
        return copy
    }

    /// A copy that opens any file with this key, whichever keyring the file records: for files that are being created
    /// or restored.
    borrowing func withoutOrigin() throws(LockstepError) -> DatabaseKey {
        var copy = try clone()
        copy.origin = nil
        return copy
    }

    /// Writes the raw key in the form for other SQLCipher programs, `x'` 64 hex digits `'`, and a line feed.
    ///
    /// Anyone who reads it can open the database. It is written directly so that no buffer of the program keeps a copy.
    /// - Throws: The error of writing to `file`, such as ``LockstepError/Code/full`` or
    ///   ``LockstepError/Code/inputOutput``; ``LockstepError/Code/secureMemoryExhausted``.
    public borrowing func writeKeyspec(to file: FileDescriptor) throws {
        let spec = try keyspec(withSalt: false)
        let bytes = spec.bytes
        try translatingErrno("write", "the raw key") {
            _ = try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll($0) }
            _ = try file.writeAll([UInt8(ascii: "\n")])
        }
    }

    /// The raw key in SQLCipher's form: `x'`, 64 hex digits, for a new file 32 more of the salt, `'`.
    ///
    /// SQLCipher would silently treat any other length as a passphrase, so the length is checked.
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
            throw LockstepError(.misuse, "a keyspec has the wrong length of \(spec.count) bytes")
        }
        return spec
    }
}
