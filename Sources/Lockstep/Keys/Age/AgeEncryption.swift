/// Writes a file for recipients: see AgeFormat.swift. Uses constant memory.
package struct AgeEncryption: ~Copyable {
    private let cipher: AEAD
    private let key: SecretBytes
    private var number: UInt64 = 0
    /// Plaintext not yet in a chunk: a chunk is sealed once it is known not to be the last.
    private var waiting: [UInt8] = []

    /// Begins a file and passes its header to `write`.
    /// - Throws: ``LockstepError/Code/recipientMalformed`` without a recipient, and for one whose key is unusable.
    package init(
        for recipients: [Recipient], _ write: ([UInt8]) throws -> Void
    ) throws {
        guard !recipients.isEmpty else {
            throw LockstepError(
                .recipientMalformed, "a file needs at least one recipient", hint: "give a recipient, age1…")
        }
        let fileKey = try SecretBytes(random: AgeFormat.fileKeyLength)
        var header = "\(AgeFormat.intro)\n"
        for recipient in recipients { header += try Self.stanza(recipient, fileKey) }
        header += "---"
        let code = try AgeFormat.headerCode(fileKey, Array(header.utf8))
        let nonce = try Random.bytes(AgeFormat.nonceLength)
        let cipher = try AEAD(.chaCha20Poly1305)
        let key = try AgeFormat.payloadKey(fileKey, nonce)
        try write(Array("\(header) \(Base64.encode(code))\n".utf8) + nonce)
        self.cipher = cipher
        self.key = key
    }

    private static func stanza(
        _ recipient: Recipient, _ fileKey: borrowing SecretBytes
    ) throws(LockstepError) -> String {
        let ephemeral = try Identity.generate()
        let share = ephemeral.recipient.publicKey
        let wrap = try AgeFormat.wrapKey(
            ephemeral.secret, with: recipient.publicKey, share: share, recipient: recipient.publicKey)
        guard let wrap else {
            throw LockstepError(
                .recipientMalformed, "the recipient's key is a point of low order and cannot be used",
                hint: "ask for another recipient")
        }
        let nonce = AgeFormat.zeroNonce
        let body = try AEAD(.chaCha20Poly1305).seal(
            fileKey.bytes, key: wrap.bytes, nonce: nonce.span, associatedData: Span())
        return "-> X25519 \(Base64.encode(share))\n\(Base64.encode(body))\n"
    }

    /// Takes the next bytes and passes the completed chunks to `write`.
    package mutating func add(_ bytes: [UInt8], _ write: ([UInt8]) throws -> Void) throws {
        waiting.append(contentsOf: bytes)
        var start = 0
        while waiting.count - start > AgeFormat.chunkLength {
            try write(seal(start..<(start + AgeFormat.chunkLength), isLast: false))
            start += AgeFormat.chunkLength
        }
        waiting.removeFirst(start)
    }

    /// Passes the last chunk to `write`.
    package mutating func finish(_ write: ([UInt8]) throws -> Void) throws {
        try write(seal(0..<waiting.count, isLast: true))
        waiting = []
    }

    private mutating func seal(_ range: Range<Int>, isLast: Bool) throws(LockstepError) -> [UInt8] {
        let nonce = AgeFormat.nonce(number, isLast: isLast)
        number += 1
        let waiting = waiting
        return try cipher.seal(
            waiting.span.extracting(range), key: key.bytes, nonce: nonce.span, associatedData: Span())
    }
}
