public import SystemPackage

/// A file of random bytes that opens a key-file slot. Keep it apart from the keyring.
public enum KeyFile {
    /// Writes 32 random bytes to a new file with mode 0600.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if the file exists.
    public static func create(_ path: FilePath) throws {
        try AtomicFile.createSecret(SecretBytes(random: 32), at: path)
    }

    /// Creates the file like ``create(_:)`` unless something exists at the path. Returns whether it created the file.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if another process creates it at the same time; the errors of
    ///   writing it.
    public static func createIfMissing(_ path: FilePath) throws -> Bool {
        guard !FileAccess.exists(path) else { return false }
        try create(path)
        return true
    }

    /// Reads a key file directly into secure memory.
    /// - Throws: ``LockstepError/Code/permissionsTooOpen`` if others can read it,
    ///   ``LockstepError/Code/secretUnsuitable`` if it is too short or too long.
    public static func read(_ path: FilePath) throws -> Credential {
        try Credential.keyFile(secret(path))
    }

    /// The bytes of a file that only its owner can read, such as one with a raw key.
    /// - Throws: ``LockstepError/Code/permissionsTooOpen`` if others can read it,
    ///   ``LockstepError/Code/secretUnsuitable`` if it is too long.
    package static func secret(_ path: FilePath) throws -> SecretBytes {
        let file = try FileAccess.open(path, .secret)
        defer { try? file.close() }
        do {
            return try SecretBytes(readingFrom: file, path, limit: Credential.longestSecret)
        } catch let error as LockstepError where error.code == .tooLarge {
            throw LockstepError(
                .secretUnsuitable, error.message, advice: error.advice, context: error.context)
        }
    }
}
