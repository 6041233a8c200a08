/// A file for recipients, as it is read: see AgeFormat.swift. Constant memory; nothing is given that has not
/// authenticated.
package struct AgeDecryption: ~Copyable {
    private let cipher: AEAD
    private let key: SecretBytes
    private let title: String
    private var number: UInt64 = 0
    private var hasEnded = false
    /// Bytes that were read and not opened.
    private var waiting: [UInt8]

    /// Whether a file that begins so is one.
    package static func begins(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: Array("\(AgeFormat.intro)\n".utf8))
    }

    /// Reads the header.
    /// - Parameters:
    ///   - title: How errors call the file.
    ///   - first: Bytes that were read already.
    ///   - read: Gives the next bytes; nil at the end.
    /// - Throws: ``LockstepError/Code/slotNotOpened`` if it is not for this identity; ``LockstepError/Code/malformedInput``,
    ///   ``LockstepError/Code/tampered``.
    package init(
        _ title: String, _ identity: borrowing Identity, _ first: [UInt8] = [],
        _ read: () throws -> [UInt8]?
    ) throws {
        var header = AgeHeader(title)
        var bytes = first
        while try !header.isComplete(bytes) {
            guard let more = try read() else { throw header.malformed("it ends in its header") }
            bytes += more
        }
        let fileKey = try header.fileKey(identity)
        var rest = Array(bytes[header.length...])
        while rest.count < AgeFormat.nonceLength {
            guard let more = try read() else { throw header.malformed("it ends behind its header") }
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
    /// - Throws: ``LockstepError/Code/tampered`` for a chunk that does not authenticate, and a file that was cut off or
    ///   goes on behind its end.
    package mutating func next(_ read: () throws -> [UInt8]?) throws -> [UInt8]? {
        guard !hasEnded else { return nil }
        // One byte more tells whether this is the last chunk.
        while waiting.count <= AgeFormat.sealedChunkLength {
            guard let more = try read() else { break }
            waiting += more
        }
        hasEnded = waiting.count <= AgeFormat.sealedChunkLength
        let count = min(waiting.count, AgeFormat.sealedChunkLength)
        let nonce = AgeFormat.nonce(number, isLast: hasEnded)
        let sealed = Array(waiting.prefix(count))
        let plaintext = try cipher.open(
            sealed.span, key: key.bytes, nonce: nonce.span, associatedData: Span())
        guard let plaintext, plaintext.count > 0 || number == 0 else {
            throw LockstepError(
                .tampered, "\(title) was changed or cut off: chunk \(number) does not open",
                hint: "get it once more from where it comes")
        }
        number += 1
        waiting.removeFirst(count)
        return plaintext.publicCopy()
    }
}
