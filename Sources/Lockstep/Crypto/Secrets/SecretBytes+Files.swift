internal import CCrypto
public import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

extension AtomicFile {
    /// Writes a secret to a new file with mode 0600, atomically. The file is on disk when this returns, because a
    /// keyring will depend on it.
    static func createSecret(_ secret: borrowing SecretBytes, at path: FilePath) throws {
        try SideFileName.require(no: path)
        let hold = try PendingHold(for: path)
        defer { _ = hold }
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
        try moveSecretIntoPlace(temporary, path)
    }

    /// The same as ``moveIntoPlace(_:_:)`` in one step, so that a kill leaves no second name of a secret.
    private static func moveSecretIntoPlace(_ source: FilePath, _ target: FilePath) throws {
        let moved = unsafe source.withPlatformString { from in
            unsafe target.withPlatformString { to in unsafe lockstep_rename_new(from, to) == 0 }
        }
        guard moved else {
            let failure = Errno(rawValue: errno)
            // Some file systems cannot.
            guard failure == .invalidArgument || failure == .noFunction else {
                throw LockstepError.system(failure, "create", target)
            }
            return try moveIntoPlace(source, target)
        }
        try confirm(target)
    }
}

extension SecretBytes {
    /// Reads a descriptor to its end into secure memory, at most `limit` bytes and never more than 1 MiB.
    ///
    /// For key files and passphrases that arrive through a descriptor: no copy remains in any other buffer of the
    /// library.
    /// - Parameters:
    ///   - file: The descriptor.
    ///   - name: The source's name in errors.
    ///   - limit: The maximum number of bytes.
    /// - Throws: ``LockstepError/Code/tooLarge`` for more bytes; ``LockstepError/Code/inputOutput`` and other errors of
    ///   reading; ``LockstepError/Code/secureMemoryExhausted``.
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
