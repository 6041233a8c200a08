internal import CCrypto

/// XAES-256-GCM (C2SP, XAES-256-GCM.md): AES-256-GCM with 192-bit nonces, so that one key can seal any number of
/// messages with random nonces.
///
/// The first 12 bytes of the nonce yield a key through two AES blocks (the counter KDF of NIST SP 800-108 over CMAC,
/// specialized for this input); AES-256-GCM with that key takes the last 12 bytes. A message allocates only its result.
/// One value serves one thread at a time. The key schedules of the key and of the last message's key are in libcrypto
/// contexts: see ``ContextMemory``.
struct XAES256GCM: ~Copyable {
    /// Bytes of a nonce.
    static let nonceLength = 24
    /// Bytes that sealing adds, without the nonce.
    static let tagLength = AEAD.tagLength
    /// Bytes of the nonce that go into the derived key; the rest is the nonce of AES-256-GCM.
    private static let prefixLength = 12

    private let block: AES256Blocks
    private let gcm: AEAD
    /// The first half is where each message's key is derived. The second half contains the two input blocks before the
    /// nonce is added: `0x00 ‖ counter ‖ 'X' ‖ 0x00 ‖ 0¹²`, xor CMAC's subkey K1.
    private var space: SecretBytes
    private static let keyLength = 32

    init(key: Span<UInt8>) throws(LockstepError) {
        guard key.count == 32 else {
            throw LockstepError(.misuse, "XAES-256-GCM takes a 32-byte key, not \(key.count) bytes")
        }
        let gcm = try AEAD()
        let block = try AES256Blocks(key: key)
        var space = try SecretBytes(zeroed: 2 * Self.keyLength)
        try Self.computeMasks(&space, block)
        self.gcm = gcm
        self.block = block
        self.space = space
    }

    /// The ciphertext and tag of `plaintext`; the caller stores the nonce.
    mutating func seal(
        _ plaintext: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) -> [UInt8] {
        try deriveKey(nonce)
        return try gcm.seal(
            plaintext, key: space.bytes.extracting(..<Self.keyLength),
            nonce: nonce.extracting(Self.prefixLength...), associatedData: associatedData)
    }

    /// Seals in place; the tag goes into the last ``tagLength`` bytes of `message`.
    /// - Throws: If it throws, the content of `message` is unusable and can be plaintext.
    mutating func seal(
        inPlace message: inout MutableSpan<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) {
        try deriveKey(nonce)
        try gcm.seal(
            inPlace: &message, key: space.bytes.extracting(..<Self.keyLength),
            nonce: nonce.extracting(Self.prefixLength...), associatedData: associatedData)
    }

    /// The plaintext, or nil if any of the inputs differs from that of sealing.
    mutating func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) -> SecretBytes? {
        try deriveKey(nonce)
        return try gcm.open(
            sealed, key: space.bytes.extracting(..<Self.keyLength),
            nonce: nonce.extracting(Self.prefixLength...), associatedData: associatedData)
    }

    /// Opens into the caller's memory, which must have exactly the plaintext's length. If it returns false, the memory
    /// is zero.
    mutating func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>, into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        try deriveKey(nonce)
        return try gcm.open(
            sealed, key: space.bytes.extracting(..<Self.keyLength), nonce: nonce.extracting(Self.prefixLength...),
            associatedData: associatedData, into: &plaintext)
    }

    /// The specification's Kx: one AES block for each half.
    mutating func derivedKey(_ nonce: Span<UInt8>) throws(LockstepError) -> SecretBytes {
        try deriveKey(nonce)
        return try space.prefix(Self.keyLength)
    }

    private mutating func deriveKey(_ nonce: Span<UInt8>) throws(LockstepError) {
        guard nonce.count == Self.nonceLength else {
            throw LockstepError(.misuse, "XAES-256-GCM takes a 24-byte nonce, not \(nonce.count) bytes")
        }
        var bytes = space.mutableBytes
        unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe nonce.withUnsafeBufferPointer { nonce in
                for half in stride(from: 0, to: Self.keyLength, by: 16) {
                    let mask = Self.keyLength + half
                    for index in 0..<4 { unsafe bytes[half + index] = bytes[mask + index] }
                    for index in 0..<Self.prefixLength {
                        unsafe bytes[half + 4 + index] = bytes[mask + 4 + index] ^ nonce[index]
                    }
                }
            }
        }
        try block.encrypt(&space)
    }

    private static func computeMasks(
        _ space: inout SecretBytes, _ block: borrowing AES256Blocks
    ) throws(LockstepError) {
        // AES(0), from which K1 is computed.
        try block.encrypt(&space)
        var bytes = space.mutableBytes
        // Doubling in GF(2^128), RFC 4493 section 2.3, without a branch on the secret.
        let carry = bytes[0] >> 7
        for index in 0..<15 { bytes[index] = bytes[index] << 1 | bytes[index + 1] >> 7 }
        bytes[15] = bytes[15] << 1 ^ (0x87 & (0 &- carry))
        for counter in 1...2 {
            let start = Self.keyLength + (counter - 1) * 16
            for index in 0..<16 { bytes[start + index] = bytes[index] }
            bytes[start + 1] ^= UInt8(counter)
            bytes[start + 2] ^= UInt8(ascii: "X")
        }
    }
}

/// The AES-256 block function with one key, for the key derivation above.
@safe
struct AES256Blocks: ~Copyable {
    private let context: OpaquePointer

    init(key: Span<UInt8>) throws(LockstepError) {
        let cipher = unsafe Self.cipher
        let context = unsafe try requireOpenSSL(unsafe EVP_CIPHER_CTX_new(), "AES-256")
        let keyed = unsafe key.withUnsafeBufferPointer { key in
            ContextMemory.within {
                unsafe EVP_EncryptInit_ex2(context, cipher, key.baseAddress, nil, nil) == 1
                    && EVP_CIPHER_CTX_set_padding(context, 0) == 1
            }
        }
        guard keyed else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw openSSLFailure("AES-256 key")
        }
        unsafe self.context = unsafe context
    }

    // Freeing a context wipes the key schedule in it.
    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Encrypts the first two blocks in place, each separately.
    func encrypt(_ blocks: inout SecretBytes) throws(LockstepError) {
        var bytes = blocks.mutableBytes
        let done = unsafe bytes.withUnsafeMutableBufferPointer {
            var written: Int32 = 0
            return unsafe EVP_EncryptUpdate(
                context, $0.baseAddress, &written, $0.baseAddress, 32) == 1
        }
        try requireOpenSSL(done, "AES-256")
    }

    // Fetched once; EVP_CIPHER objects are reference-counted and safe to share between threads.
    nonisolated(unsafe) private static let cipher: OpaquePointer? = {
        _ = ContextMemory.isInstalled
        return unsafe EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
    }()
}
