public import SystemPackage

/// A file of random bytes that opens a key-file slot, to be kept apart from the keyring.
public enum KeyFile {
    /// Writes 32 random bytes to a new file of mode 0600.
    /// - Throws: ``LockstepError/Code/alreadyExists`` rather than replace one.
    public static func create(_ path: FilePath) throws {
        try AtomicFile.createSecret(SecretBytes(random: 32), at: path)
    }

    /// Makes the file as ``create(_:)`` does unless something stands there, and says whether it did.
    public static func createIfMissing(_ path: FilePath) throws -> Bool {
        guard !FileAccess.exists(path) else { return false }
        try create(path)
        return true
    }

    /// Reads a key file straight into secure memory.
    /// - Throws: ``LockstepError/Code/permissionsTooOpen`` if others can read it,
    ///   ``LockstepError/Code/secretUnsuitable`` if it is too short or too long.
    public static func read(_ path: FilePath) throws -> Credential {
        let file = try FileAccess.open(path, .secret)
        defer { try? file.close() }
        do {
            let secret = try SecretBytes(readingFrom: file, path, limit: Credential.longestSecret)
            return try Credential.keyFile(secret)
        } catch let error as LockstepError where error.code == .tooLarge {
            throw LockstepError(.secretUnsuitable, error.message, hint: error.hint)
        }
    }
}

extension AtomicFile {
    /// Writes a secret to a new file of mode 0600 that is on the disk when this returns: a keyring will
    /// depend on it. It is there whole or not at all.
    static func createSecret(_ secret: borrowing SecretBytes, at path: FilePath) throws {
        let temporary = try uniqueSibling(of: path)
        let file = try create(temporary, for: path)
        defer { remove(temporary) }
        do {
            defer { try? file.close() }
            let bytes = secret.bytes
            try translatingErrno("write", path) {
                _ = try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll($0) }
            }
            try sync(file, path)
        }
        try moveIntoPlace(temporary, path)
    }
}

extension SecretBytes {
    /// Reads everything that a descriptor gives, at most `limit` bytes (1 MiB at the most), into secure memory.
    ///
    /// For key files and passphrases that arrive through a descriptor: no copy stays behind in a
    /// buffer of ours.
    /// - Parameter name: What to call the source in an error.
    public init(
        readingFrom file: FileDescriptor, _ name: FilePath, limit: Int
    ) throws {
        let limit = min(max(limit, 0), 1_048_576)
        var buffer = try SecretBytes(zeroed: limit + 1)
        var filled = 0
        while filled <= limit {
            var target = buffer.mutableBytes
            let count = try translatingErrno("read", name) {
                try unsafe target.withUnsafeMutableBytes { bytes in
                    try unsafe file.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
                }
            }
            if count == 0 { break }
            filled += count
        }
        guard filled <= limit else { throw FileAccess.tooLarge(name, limit) }
        self = try buffer.prefix(filled)
    }
}
