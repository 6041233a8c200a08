internal import CCrypto

/// XAES-256-GCM (C2SP, XAES-256-GCM.md): AES-256-GCM with 192-bit nonces, so that random nonces may be
/// used for as many messages as one likes under one key.
///
/// From the first 12 bytes of the nonce a key is derived with two AES blocks (the counter KDF of NIST
/// SP 800-108 over CMAC, worked out for this one shape); AES-256-GCM under it takes the last 12.
/// One value serves one thread at a time.
struct XAES256GCM: ~Copyable {
    /// Bytes of a nonce.
    static let nonceLength = 24
    /// Bytes that sealing adds, without the nonce.
    static let tagLength = AES256GCM.tagLength

    private let block: AES256Block
    private let gcm: AES256GCM
    /// CMAC's subkey K1 for the key.
    private let subkey: SecretBytes

    init(key: Span<UInt8>) throws(LockstepError) {
        guard key.count == 32 else {
            throw LockstepError(.misuse, "XAES-256-GCM takes a 32-byte key, not \(key.count) bytes")
        }
        let gcm = try AES256GCM()
        let block = try AES256Block(key: key)
        var subkey = try SecretBytes(zeroed: 16)
        try block.encrypt(&subkey)
        Self.double(&subkey)
        self.gcm = gcm
        self.block = block
        self.subkey = subkey
    }

    /// Ciphertext and tag of `plaintext`; the nonce is the caller's to store.
    func seal(
        _ plaintext: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) -> [UInt8] {
        let key = try derivedKey(nonce)
        return try gcm.seal(
            plaintext, key: key.bytes, nonce: nonce.extracting(12...),
            associatedData: associatedData)
    }

    /// The plaintext, or nil if any of the inputs is not what it was when sealing.
    func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) -> SecretBytes? {
        let key = try derivedKey(nonce)
        return try gcm.open(
            sealed, key: key.bytes, nonce: nonce.extracting(12...),
            associatedData: associatedData)
    }

    /// The specification's Kx: one AES block for each half.
    func derivedKey(_ nonce: Span<UInt8>) throws(LockstepError) -> SecretBytes {
        guard nonce.count == Self.nonceLength else {
            throw LockstepError(
                .misuse, "XAES-256-GCM takes a 24-byte nonce, not \(nonce.count) bytes")
        }
        var key = try SecretBytes(zeroed: 32)
        var half = try SecretBytes(zeroed: 16)
        for counter in 1...2 {
            var bytes = half.mutableBytes
            // 0x00 ‖ counter ‖ 'X' ‖ 0x00 ‖ the nonce's first 12 bytes, xor K1.
            let prefix: [UInt8] = [0, UInt8(counter), UInt8(ascii: "X"), 0]
            for index in 0..<16 {
                let byte = index < 4 ? prefix[index] : nonce[index - 4]
                bytes[index] = byte ^ subkey.bytes[index]
            }
            try block.encrypt(&half)
            var target = key.mutableBytes
            for index in 0..<16 { target[(counter - 1) * 16 + index] = half.bytes[index] }
        }
        return key
    }

    /// Doubling in GF(2^128), RFC 4493 section 2.3, without a branch on the secret.
    private static func double(_ value: inout SecretBytes) {
        var bytes = value.mutableBytes
        let carry = bytes[0] >> 7
        for index in 0..<15 { bytes[index] = bytes[index] << 1 | bytes[index + 1] >> 7 }
        bytes[15] = bytes[15] << 1 ^ (0x87 & (0 &- carry))
    }
}

/// The AES-256 block function under one key: what the key derivation above is made of.
@safe
private struct AES256Block: ~Copyable {
    private let context: OpaquePointer

    init(key: Span<UInt8>) throws(LockstepError) {
        let context = unsafe try requireOpenSSL(unsafe EVP_CIPHER_CTX_new(), "AES-256")
        let keyed = unsafe key.withUnsafeBufferPointer {
            unsafe EVP_EncryptInit_ex2(context, Self.cipher, $0.baseAddress, nil, nil) == 1
                && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        }
        guard keyed else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw openSSLFailure("AES-256 key")
        }
        unsafe self.context = unsafe context
    }

    // Freeing a context wipes the key schedule in it.
    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Encrypts 16 bytes in place.
    func encrypt(_ block: inout SecretBytes) throws(LockstepError) {
        var bytes = block.mutableBytes
        let done = unsafe bytes.withUnsafeMutableBufferPointer {
            var written: Int32 = 0
            return unsafe EVP_EncryptUpdate(
                context, $0.baseAddress, &written, $0.baseAddress, 16) == 1
        }
        try requireOpenSSL(done, "AES-256")
    }

    // Fetched once; EVP_CIPHER objects are reference-counted and safe to share between threads.
    nonisolated(unsafe) private static let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
}
