/// The positions of the chunks of a message in chunked encryption (C2SP, chunked-encryption.md, "Message chunking" and
/// "Implementation notes"). This is pure arithmetic: a stored length can be trusted only after the last chunk has
/// opened as the last one.
///
/// The encrypted message is 24 bytes of salt, 32 of commitment, and the chunks. All chunks are full except the last,
/// which is always shorter and can be empty, so each length has exactly one chunking.
struct ChunkedLayout: Equatable, Sendable {
    /// Bytes of plaintext in a full chunk.
    static let chunkLength = 16_384
    /// Bytes of a full encrypted chunk.
    static let sealedChunkLength = chunkLength + AEAD.tagLength
    /// Bytes before the first chunk: salt and commitment.
    static let headerLength = ChunkedEncryption.saltLength + ChunkedEncryption.commitmentLength
    /// The maximum number of chunks in a message: the counter has 38 bits of the nonce.
    static let chunkLimit = 1 << 38

    /// Bytes of the message before encryption.
    let plaintextLength: Int

    /// The layout of a message with this many bytes.
    /// - Throws: ``LockstepError/Code/misuse`` for 4 PiB or more, and for negative lengths.
    init(plaintextLength: Int) throws(LockstepError) {
        guard 0..<Self.chunkLimit * Self.chunkLength ~= plaintextLength else {
            throw LockstepError(
                .misuse, "chunked encryption takes 0 bytes or more and less than 4 PiB, not " + "\(plaintextLength)")
        }
        self.plaintextLength = plaintextLength
    }

    /// The layout of an encrypted message with this many bytes, including its header; nil if no message has that
    /// length, which means that it was shortened or extended.
    init?(encryptedLength: Int) {
        guard encryptedLength >= Self.headerLength else { return nil }
        let (full, rest) = (encryptedLength - Self.headerLength)
            .quotientAndRemainder(dividingBy: Self.sealedChunkLength)
        guard full < Self.chunkLimit, rest >= AEAD.tagLength else { return nil }
        plaintextLength = full * Self.chunkLength + rest - AEAD.tagLength
    }

    /// The number of chunks, at least one.
    var chunkCount: Int { lastChunk + 1 }

    /// The number of the last chunk, the short one; numbers start at 0.
    var lastChunk: Int { plaintextLength / Self.chunkLength }

    /// Bytes of the encrypted message, including its header.
    var encryptedLength: Int {
        Self.headerLength + plaintextLength + chunkCount * AEAD.tagLength
    }

    /// The bytes of the plaintext in chunk `number`.
    func plaintextRange(ofChunk number: Int) throws(LockstepError) -> Range<Int> {
        try check(number)
        let start = number * Self.chunkLength
        return start..<min(start + Self.chunkLength, plaintextLength)
    }

    /// The bytes of the encrypted message in chunk `number`, including its tag.
    func encryptedRange(ofChunk number: Int) throws(LockstepError) -> Range<Int> {
        try check(number)
        let start = Self.headerLength + number * Self.sealedChunkLength
        return start..<min(start + Self.sealedChunkLength, encryptedLength)
    }

    /// The chunks that contain a piece of the plaintext; none for an empty piece.
    /// - Throws: ``LockstepError/Code/misuse`` for a piece that is not within the message.
    func chunks(holding piece: Range<Int>) throws(LockstepError) -> Range<Int> {
        guard piece.lowerBound >= 0, piece.upperBound <= plaintextLength else {
            throw LockstepError(
                .misuse,
                "bytes \(piece) are not within a message of \(plaintextLength) bytes")
        }
        let first = piece.lowerBound / Self.chunkLength
        guard !piece.isEmpty else { return first..<first }
        return first..<(piece.upperBound - 1) / Self.chunkLength + 1
    }

    private func check(_ number: Int) throws(LockstepError) {
        guard 0..<chunkCount ~= number else {
            throw LockstepError(.misuse, "a message of \(counted(chunkCount, "chunk")) has no chunk \(number)")
        }
    }
}
