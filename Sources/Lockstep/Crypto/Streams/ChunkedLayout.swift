/// Where the chunks of a message in chunked encryption lie (C2SP, chunked-encryption.md, "Message
/// chunking" and "Implementation notes"). Pure arithmetic: a length that was stored somewhere is believed
/// only once the last chunk has opened as the last one.
///
/// The encrypted message is 24 bytes of salt, 32 of commitment, and the chunks. All are full but the last
/// one, which is always shorter and may be empty: so each length has one chunking.
struct ChunkedLayout: Equatable, Sendable {
    /// Bytes of plaintext in a full chunk.
    static let chunkLength = 16_384
    /// Bytes of a full chunk once it is encrypted.
    static let sealedChunkLength = chunkLength + AEAD.tagLength
    /// Bytes before the first chunk: salt and commitment.
    static let headerLength = ChunkedEncryption.saltLength + ChunkedEncryption.commitmentLength
    /// How many chunks a message may have: the counter takes 38 bits of the nonce.
    static let chunkLimit = 1 << 38

    /// Bytes of the message before encryption.
    let plaintextLength: Int

    /// The layout of a message of so many bytes.
    /// - Throws: ``LockstepError/Code/misuse`` from 4 PiB on, and below 0.
    init(plaintextLength: Int) throws(LockstepError) {
        guard 0..<Self.chunkLimit * Self.chunkLength ~= plaintextLength else {
            throw LockstepError(
                .misuse,
                "chunked encryption takes from 0 bytes to one less than 4 PiB, not \(plaintextLength)"
            )
        }
        self.plaintextLength = plaintextLength
    }

    /// The layout of an encrypted message of so many bytes, its header included; nil where no message
    /// has that length, so that this one was cut or added to.
    init?(encryptedLength: Int) {
        guard encryptedLength >= Self.headerLength else { return nil }
        let (full, rest) = (encryptedLength - Self.headerLength)
            .quotientAndRemainder(dividingBy: Self.sealedChunkLength)
        guard full < Self.chunkLimit, rest >= AEAD.tagLength else { return nil }
        plaintextLength = full * Self.chunkLength + rest - AEAD.tagLength
    }

    /// How many chunks there are: at least one.
    var chunkCount: Int { lastChunk + 1 }

    /// The number of the last chunk, the short one; numbers start at 0.
    var lastChunk: Int { plaintextLength / Self.chunkLength }

    /// Bytes of the encrypted message, its header included.
    var encryptedLength: Int {
        Self.headerLength + plaintextLength + chunkCount * AEAD.tagLength
    }

    /// Which bytes of the plaintext chunk `number` holds.
    func plaintextRange(ofChunk number: Int) throws(LockstepError) -> Range<Int> {
        try check(number)
        let start = number * Self.chunkLength
        return start..<min(start + Self.chunkLength, plaintextLength)
    }

    /// Which bytes of the encrypted message chunk `number` is, its tag included.
    func encryptedRange(ofChunk number: Int) throws(LockstepError) -> Range<Int> {
        try check(number)
        let start = Self.headerLength + number * Self.sealedChunkLength
        return start..<min(start + Self.sealedChunkLength, encryptedLength)
    }

    /// The chunks that hold a piece of the plaintext; none for an empty piece.
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
            throw LockstepError(.misuse, "a message of \(chunkCount) chunks has no chunk \(number)")
        }
    }
}
