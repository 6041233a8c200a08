/// Reads a file for recipients: see AgeFormat.swift. Uses constant memory and returns only authenticated plaintext.
package struct AgeDecryption: ~Copyable {
    private let cipher: AEAD
    private let key: SecretBytes
    private let title: String
    private var number: UInt64 = 0
    private var hasEnded = false
    /// Bytes that were read but not yet opened.
    private var waiting: [UInt8]

    /// Whether a file with this beginning is a file for recipients.
    package static func begins(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: Array("\(AgeFormat.intro)\n".utf8))
    }

    /// Reads the header.
    /// - Parameters:
    ///   - title: The file's name in errors.
    ///   - first: Bytes that were already read.
    ///   - read: Returns the next bytes; nil at the end.
    /// - Throws: ``LockstepError/Code/slotNotOpened`` if the file is not for this identity;
    ///   ``LockstepError/Code/malformedInput``, ``LockstepError/Code/tampered``.
    package init(
        _ title: String, _ identity: borrowing Identity, _ first: [UInt8] = [],
        _ read: () throws -> [UInt8]?
    ) throws {
        var header = AgeHeader(title)
        var bytes = first
        while try !header.isComplete(bytes) {
            guard let more = try read() else { throw header.malformed("it ends inside its header") }
            bytes += more
        }
        let fileKey = try header.fileKey(identity)
        var rest = Array(bytes[header.length...])
        while rest.count < AgeFormat.nonceLength {
            guard let more = try read() else { throw header.malformed("it ends after its header") }
            rest += more
        }
        let cipher = try AEAD(.chaCha20Poly1305)
        let key = try AgeFormat.payloadKey(fileKey, Array(rest.prefix(AgeFormat.nonceLength)))
        self.cipher = cipher
        self.key = key
        self.title = title
        waiting = Array(rest.dropFirst(AgeFormat.nonceLength))
    }

    /// The next plaintext, or nil at the end.
    /// - Throws: ``LockstepError/Code/tampered`` for a chunk that does not authenticate, and for a file that was cut
    ///   off or continues after its last chunk.
    package mutating func next(_ read: () throws -> [UInt8]?) throws -> [UInt8]? {
        guard !hasEnded else { return nil }
        // One more byte shows whether this is the last chunk.
        while waiting.count <= AgeFormat.sealedChunkLength {
            guard let more = try read() else { break }
            waiting += more
        }
        hasEnded = waiting.count <= AgeFormat.sealedChunkLength
        let count = min(waiting.count, AgeFormat.sealedChunkLength)
        let nonce = AgeFormat.nonce(number, isLast: hasEnded)
        let sealed = Array(waiting.prefix(count))
        let plaintext = try cipher.open(sealed.span, key: key.bytes, nonce: nonce.span, associatedData: Span())
        guard let plaintext, plaintext.count > 0 || number == 0 else {
            throw LockstepError(
                .tampered, "\(title) was changed or cut off: chunk \(number) does not open",
                hint: "get a new copy from its source", context: .init(file: title))
        }
        number += 1
        waiting.removeFirst(count)
        return plaintext.publicCopy()
    }
}
