/// Chunked encryption (C2SP, chunked-encryption.md), in its instance Cobblestone-256 with SHA-512 and AES-256-GCM, for
/// long messages that are read in pieces at any offset.
///
/// A 32-byte key, 24 random bytes of salt and the message's context yield a key and a base nonce for this message only,
/// and a commitment to all three inputs, which is stored with the message. Chunk number i is sealed with the base nonce
/// xor i; ``ChunkedLayout`` defines its position. A chunk allocates no memory. One value serves one thread at a time.
///
/// - Important: A single chunk authenticates its content, number and message, but not the end of the message. To verify
///   the length, open the last chunk.
struct ChunkedEncryption: ~Copyable {
    /// Bytes of a key.
    static let keyLength = 32
    /// Bytes of a salt.
    static let saltLength = 24
    /// Bytes of a commitment.
    static let commitmentLength = 32
    /// The start of HKDF's info; the name of the AEAD is IANA's ("Key derivation").
    private static let label = Array("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0".utf8)

    /// The commitment, stored after the salt and before the chunks. It reveals nothing about the key.
    let commitment: [UInt8]
    private let gcm: AEAD
    /// Key, base nonce and commitment, as HKDF yields them.
    private let derived: SecretBytes
    /// The lowest number that can still be sealed; nil if none can.
    private var nextNumber: Int?

    /// Begins a new message. Its `salt` must never have been used with `key` before: use random bytes.
    /// - Throws: ``LockstepError/Code/misuse`` for a key or a salt of another length.
    init(key: Span<UInt8>, salt: Span<UInt8>, context: Span<UInt8>) throws(LockstepError) {
        let gcm = try AEAD()
        let derived = try Self.derive(key, salt, context)
        commitment = derived.publicCopy(from: Self.keyLength + AEAD.nonceLength)
        self.gcm = gcm
        self.derived = derived
        nextNumber = 0
    }

    /// Begins to read a sealed message, whose chunks can be opened but not sealed; nil if one of the inputs differs
    /// from that of sealing. The commitments are compared in constant time.
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

    /// Encrypts chunk `number` in place; the tag goes into the last ``AEAD/tagLength`` bytes of `chunk`.
    ///
    /// Numbers can be skipped, but a number is never used twice or after the last chunk: two chunks with one nonce
    /// would reveal both and allow forgeries. Seal a changed message again as a whole, with another salt.
    /// - Parameter isLast: Whether the message ends here. The last chunk is shorter than ``ChunkedLayout/chunkLength``;
    ///   all others have exactly that length.
    /// - Throws: If it throws, the content of `chunk` is unusable and can be plaintext.
    mutating func seal(
        inPlace chunk: inout MutableSpan<UInt8>, number: Int, isLast: Bool
    ) throws(LockstepError) {
        try Self.check(number, isLast)
        guard let next = nextNumber, number >= next else {
            throw LockstepError(
                .misuse, "chunk \(number) can no longer be sealed",
                hint: "seal each chunk once, in order; begin a changed message with another salt")
        }
        guard Self.holds(chunk.count, isLast) else {
            throw LockstepError(
                .misuse, "\(chunk.count) bytes is not the size of a \(isLast ? "last" : "full") chunk with " + "its tag"
            )
        }
        nextNumber = isLast ? nil : number + 1
        let nonce = nonce(number)
        try gcm.seal(inPlace: &chunk, key: messageKey, nonce: nonce.span, associatedData: Span())
    }

    /// Decrypts chunk `number` into memory with exactly its plaintext's length.
    /// - Returns: Whether the chunk was sealed with this number, and as the last chunk exactly if `isLast`. If not, the
    ///   memory is zero.
    /// - Throws: ``LockstepError/Code/misuse`` for memory of another length, and for a number outside the valid range.
    func open(
        _ chunk: Span<UInt8>, number: Int, isLast: Bool, into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        try Self.check(number, isLast)
        // A shortened or extended chunk is not misuse, so its length is checked before the memory's.
        guard Self.holds(chunk.count, isLast) else {
            plaintext.update(repeating: 0)
            return false
        }
        let nonce = nonce(number)
        return try gcm.open(chunk, key: messageKey, nonce: nonce.span, associatedData: Span(), into: &plaintext)
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
            return base[index] ^ UInt8(truncatingIfNeeded: shift < Int.bitWidth ? number >> shift : 0)
        }
    }

    /// Whether a chunk with its tag can have this many bytes.
    private static func holds(_ count: Int, _ isLast: Bool) -> Bool {
        isLast ? AEAD.tagLength..<ChunkedLayout.sealedChunkLength ~= count : count == ChunkedLayout.sealedChunkLength
    }

    private static func check(_ number: Int, _ isLast: Bool) throws(LockstepError) {
        // The chunk with the highest number can only be the last one.
        let limit = isLast ? ChunkedLayout.chunkLimit : ChunkedLayout.chunkLimit - 1
        guard 0..<limit ~= number else {
            throw LockstepError(
                .misuse,
                "chunk numbers range from 0 to 2^38 - 1, which only the last chunk can have, not " + "\(number)")
        }
    }

    private static func derive(
        _ key: Span<UInt8>, _ salt: Span<UInt8>, _ context: Span<UInt8>
    ) throws(LockstepError) -> SecretBytes {
        guard key.count == keyLength, salt.count == saltLength else {
            throw LockstepError(
                .misuse,
                "chunked encryption takes a 32-byte key and a 24-byte salt, not \(key.count) and " + "\(salt.count)")
        }
        var info = label
        info.reserveCapacity(label.count + salt.count + context.count)
        for index in salt.indices { info.append(salt[index]) }
        for index in context.indices { info.append(context[index]) }
        return try HKDF.expand(
            key, info: info.span, count: keyLength + AEAD.nonceLength + commitmentLength, with: .sha512)
    }
}
