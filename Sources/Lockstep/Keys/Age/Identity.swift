public import SystemPackage

/// An X25519 secret key in age's notation, `AGE-SECRET-KEY-1…`. It opens the slots that were made for its
/// ``Recipient``.
public struct Identity: ~Copyable, Sendable {
    private static let prefix = "age-secret-key-"
    // `age-keygen` writes fewer than 200 bytes; this leaves room for comments.
    private static let largestFile = 4096

    let secret: SecretBytes

    /// The public half.
    public let recipient: Recipient

    private init(_ secret: consuming SecretBytes) throws(LockstepError) {
        recipient = Recipient(publicKey: try X25519.publicKey(of: secret))
        self.secret = secret
    }

    /// A new random identity.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``, ``LockstepError/Code/cryptographyFailed``.
    public static func generate() throws(LockstepError) -> Identity {
        try Identity(SecretBytes(random: Curve25519Key.length))
    }

    /// A copy in its own secure memory.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``, ``LockstepError/Code/cryptographyFailed``.
    public borrowing func clone() throws(LockstepError) -> Identity {
        try Identity(secret.clone())
    }

    /// Reads an identity file: one line is the key, and lines that begin with `#` are comments.
    /// - Throws: ``LockstepError/Code/identityMalformed``; ``LockstepError/Code/permissionsTooOpen`` if
    ///   others can read the file.
    public static func read(_ path: FilePath) throws -> Identity {
        let file = try FileAccess.open(path, .secret)
        defer { try? file.close() }
        let text = try SecretBytes(readingFrom: file, path, limit: largestFile)
        do {
            return try Identity(parsing: text)
        } catch {
            throw error.located(in: path)
        }
    }

    /// Reads the text of an identity file.
    /// - Throws: ``LockstepError/Code/identityMalformed`` unless it contains exactly one key.
    public init(parsing text: borrowing SecretBytes) throws(LockstepError) {
        let keys = Self.keyLines(of: text)
        guard keys.count == 1 else {
            throw Self.malformed("it contains \(counted(keys.count, "key")); expected exactly one")
        }
        try self.init(spelled: text.bytes.extracting(keys[0]))
    }

    /// Reads `AGE-SECRET-KEY-1…` with nothing around it.
    init(spelled text: Span<UInt8>) throws(LockstepError) {
        guard let secret = try Bech32.decode(text, prefix: Self.prefix), secret.count == Curve25519Key.length else {
            throw Self.malformed("its key is not valid: expected AGE-SECRET-KEY-1 followed by 58 characters")
        }
        try self.init(secret)
    }

    /// The ranges of the lines that are neither empty nor a comment.
    static func keyLines(of text: borrowing SecretBytes) -> [Range<Int>] {
        lines(of: text).filter { line in
            !line.isEmpty && text.bytes[line.lowerBound] != UInt8(ascii: "#")
        }
    }

    /// Writes the identity to a new file with mode 0600, as `age-keygen` does.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if the file exists.
    public borrowing func create(_ path: FilePath) throws {
        let remark = Array("# recipient: \(recipient)\n".utf8)
        let key = try Bech32.encode(secret.bytes, prefix: Self.prefix)
        let length = remark.count + key.count + 1
        var text = try SecretBytes(zeroed: length)
        var output = text.mutableBytes
        for index in remark.indices { output[index] = remark[index] }
        for index in 0..<key.count {
            let byte = key.bytes[index]
            let isLower = byte.isASCIILowercase
            output[remark.count + index] = isLower ? byte & 0xDF : byte
        }
        output[length - 1] = UInt8(ascii: "\n")
        try AtomicFile.createSecret(text, at: path)
    }

    /// The ranges of the lines without line ends and surrounding spaces.
    private static func lines(of text: borrowing SecretBytes) -> [Range<Int>] {
        let bytes = text.bytes
        var lines: [Range<Int>] = []
        var start = 0
        for index in 0...bytes.count where index == bytes.count || bytes[index] == UInt8(ascii: "\n") {
            var line = start..<index
            while !line.isEmpty, isBlank(bytes[line.upperBound - 1]) {
                line = line.lowerBound..<line.upperBound - 1
            }
            while !line.isEmpty, isBlank(bytes[line.lowerBound]) {
                line = line.lowerBound + 1..<line.upperBound
            }
            lines.append(line)
            start = index + 1
        }
        return lines
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    static func malformed(_ what: String) -> LockstepError {
        LockstepError(
            .identityMalformed, "not a valid identity file: \(what)",
            advice: "make one with \(.generateIdentity) or with age-keygen")
    }
}
