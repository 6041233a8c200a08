/// Chunked encryption (C2SP, chunked-encryption.md) as its instance Cobblestone-256, with SHA-512 and
/// AES-256-GCM: for long messages that are read in pieces, from anywhere.
///
/// From a 32-byte key, 24 random bytes of salt and the context that the message belongs to come a key and
/// a base nonce for this message alone, and a commitment to all three, which is stored with it. Chunk
/// number i is sealed under the base nonce xor i; ``ChunkedLayout`` says where it lies. Nothing is
/// allocated for a chunk. One value serves one thread at a time.
///
/// - Important: A single chunk proves itself, its number and its message, and not where the message ends:
///   who needs the length to be true opens the last chunk.
struct ChunkedEncryption: ~Copyable {
    /// Bytes of a key.
    static let keyLength = 32
    /// Bytes of a salt.
    static let saltLength = 24
    /// Bytes of a commitment.
    static let commitmentLength = 32
    /// The start of HKDF's info; the name of the AEAD is IANA's ("Key derivation").
    private static let label = Array("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0".utf8)

    /// What is stored before the chunks, after the salt. It tells nothing about the key.
    let commitment: [UInt8]
    private let gcm: AEAD
    /// Key, base nonce and commitment, as HKDF yields them.
    private let derived: SecretBytes
    /// The first number that may still be sealed; nil where none may.
    private var nextNumber: Int?

    /// Begins a new message, whose `salt` must never have been used with `key` before: take random bytes.
    /// - Throws: ``LockstepError/Code/misuse`` for a key or a salt of another length.
    init(key: Span<UInt8>, salt: Span<UInt8>, context: Span<UInt8>) throws(LockstepError) {
        let gcm = try AEAD()
        let derived = try Self.derive(key, salt, context)
        commitment = derived.publicCopy(from: Self.keyLength + AEAD.nonceLength)
        self.gcm = gcm
        self.derived = derived
        nextNumber = 0
    }

    /// Takes up a message that was sealed, to open its chunks and to seal none; nil if one of the inputs
    /// is not what it was then. The commitments are compared in constant time.
    /// - Throws: ``LockstepError/Code/misuse`` for a key or a salt of another length.
    static func opening(
        key: Span<UInt8>, salt: Span<UInt8>, context: Span<UInt8>, commitment: Span<UInt8>
    ) throws(LockstepError) -> ChunkedEncryption? {
        var message = try ChunkedEncryption(key: key, salt: salt, context: context)
        let own = message.commitment
        guard ConstantTime.equal(own.span, commitment) else { return nil }
        message.nextNumber = nil
        return message
    }

    /// Encrypts chunk `number` where it lies; the tag goes into the last ``AEAD/tagLength`` bytes of
    /// `chunk`.
    ///
    /// Numbers may be left out and never taken twice, nor after the last one: two chunks under one nonce
    /// would give away both and the power to forge. A message that was changed is sealed anew, with
    /// another salt.
    /// - Parameter isLast: Whether the message ends here; this chunk is then shorter than
    ///   ``ChunkedLayout/chunkLength``, and all others are exactly of that length.
    /// - Throws: If it does, what `chunk` holds is of no use, and may be plaintext.
    mutating func seal(
        inPlace chunk: inout MutableSpan<UInt8>, number: Int, isLast: Bool
    ) throws(LockstepError) {
        try Self.check(number, isLast)
        guard let next = nextNumber, number >= next else {
            throw LockstepError(
                .misuse, "chunk \(number) cannot be sealed any more",
                hint: "seal each chunk once, in order; begin a changed message with another salt")
        }
        guard Self.holds(chunk.count, isLast) else {
            throw LockstepError(
                .misuse,
                "\(chunk.count) bytes are no \(isLast ? "last" : "full") chunk with its tag")
        }
        nextNumber = isLast ? nil : number + 1
        let nonce = nonce(number)
        try gcm.seal(inPlace: &chunk, key: messageKey, nonce: nonce.span, associatedData: Span())
    }

    /// The same from one memory into another, which holds exactly the plaintext and the tag.
    mutating func seal(
        _ plaintext: Span<UInt8>, number: Int, isLast: Bool, into chunk: inout MutableSpan<UInt8>
    ) throws(LockstepError) {
        guard chunk.count == plaintext.count + AEAD.tagLength else {
            throw LockstepError(
                .misuse,
                "a chunk of \(plaintext.count) bytes was given \(chunk.count) bytes of memory")
        }
        chunk.copy(plaintext, to: 0)
        try seal(inPlace: &chunk, number: number, isLast: isLast)
    }

    /// Decrypts chunk `number` into memory that holds exactly its plaintext.
    /// - Returns: Whether the chunk is the one that was sealed under this number, and the last one if
    ///   `isLast` says so. If not, the memory is zero.
    /// - Throws: ``LockstepError/Code/misuse`` for memory of another length, and for a number that no
    ///   message has.
    func open(
        _ chunk: Span<UInt8>, number: Int, isLast: Bool, into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        try Self.check(number, isLast)
        // A chunk that was cut or added to is no misuse, so its length comes before the memory's.
        guard Self.holds(chunk.count, isLast) else {
            plaintext.update(repeating: 0)
            return false
        }
        let nonce = nonce(number)
        return try gcm.open(
            chunk, key: messageKey, nonce: nonce.span, associatedData: Span(), into: &plaintext)
    }

    private var messageKey: Span<UInt8> {
        @_lifetime(borrow self)
        get { derived.bytes.extracting(..<Self.keyLength) }
    }

    /// The base nonce xor `number` as a big-endian integer of the same width ("AEAD usage").
    private func nonce(_ number: Int) -> InlineArray<12, UInt8> {
        let base = derived.bytes.extracting(Self.keyLength...)
        return InlineArray { index in
            let shift = (AEAD.nonceLength - 1 - index) * 8
            return base[index]
                ^ UInt8(truncatingIfNeeded: shift < Int.bitWidth ? number >> shift : 0)
        }
    }

    /// Whether a chunk with its tag may have so many bytes.
    private static func holds(_ count: Int, _ isLast: Bool) -> Bool {
        isLast
            ? AEAD.tagLength..<ChunkedLayout.sealedChunkLength ~= count
            : count == ChunkedLayout.sealedChunkLength
    }

    private static func check(_ number: Int, _ isLast: Bool) throws(LockstepError) {
        // The chunk with the highest number can only be the last one.
        let limit = isLast ? ChunkedLayout.chunkLimit : ChunkedLayout.chunkLimit - 1
        guard 0..<limit ~= number else {
            throw LockstepError(
                .misuse,
                "chunked encryption numbers its chunks from 0 to 2^38 - 1, the last one; not \(number)"
            )
        }
    }

    private static func derive(
        _ key: Span<UInt8>, _ salt: Span<UInt8>, _ context: Span<UInt8>
    ) throws(LockstepError) -> SecretBytes {
        guard key.count == keyLength, salt.count == saltLength else {
            throw LockstepError(
                .misuse,
                "chunked encryption takes a 32-byte key and a 24-byte salt, not \(key.count) and "
                    + "\(salt.count)")
        }
        var info = label
        info.reserveCapacity(label.count + salt.count + context.count)
        for index in salt.indices { info.append(salt[index]) }
        for index in context.indices { info.append(context[index]) }
        return try HKDF.expand(
            key, info: info.span, count: keyLength + AEAD.nonceLength + commitmentLength,
            with: .sha512)
    }
}
