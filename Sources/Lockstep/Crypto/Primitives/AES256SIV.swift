internal import CCrypto

/// AES-256-SIV (RFC 5297, with 64-byte keys) with one string of associated data. It is deterministic: equal messages
/// with equal associated data have equal ciphertexts, which reveals only that equality.
///
/// It needs no nonce and no counter. Each message takes two passes and a copied context, so use ``XAES256GCM`` for
/// everything that need not be compared. An empty message is refused because libcrypto 3.0 "seals" it to a zero tag
/// (openssl/openssl#17268). Empty associated data counts as one empty string; libcrypto before 3.0.10 omitted it
/// (CVE-2023-2975). One value serves one thread at a time.
///
/// The key schedules are in libcrypto contexts: see ``ContextMemory``.
struct AES256SIV: ~Copyable {
    /// Bytes of a key: one half authenticates, the other encrypts (RFC 5297, section 2.2).
    static let keyLength = 64
    /// Bytes that sealing puts before the ciphertext: the synthetic initialization vector, which is also the tag.
    static let vectorLength = 16

    /// A libcrypto context serves only one message: for a second one, the update fails and the tag is still the first
    /// one's. So these two keep their keyed state, and each message uses a copy of one of them, at a third of the cost
    /// of setting the key again.
    private let sealing: SIVContext
    private let opening: SIVContext
    private let working: SIVContext

    init(key: Span<UInt8>) throws(LockstepError) {
        // EVP reads 64 bytes, whatever the length of the argument.
        guard key.count == Self.keyLength else {
            throw LockstepError(.misuse, "AES-256-SIV takes a 64-byte key, not \(key.count) bytes")
        }
        let sealing = try SIVContext()
        try sealing.start(key, encrypting: true)
        let opening = try SIVContext()
        try opening.start(key, encrypting: false)
        working = try SIVContext()
        self.sealing = sealing
        self.opening = opening
    }

    /// Seals in place. The first ``vectorLength`` bytes of `message` are room for the synthetic initialization vector,
    /// and the plaintext follows.
    /// - Throws: If it throws, the content of `message` is unusable and can be plaintext.
    func seal(
        inPlace message: inout MutableSpan<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) {
        guard message.count > Self.vectorLength else {
            throw LockstepError(
                .misuse, "AES-256-SIV cannot seal an empty message", hint: "prefix the value with a type or a length")
        }
        try working.start(as: sealing, associatedData)
        let done = unsafe message.withUnsafeMutableBufferPointer { unsafe working.seal($0) }
        try requireOpenSSL(done, "AES-256-SIV sealing")
    }

    /// Opens into the caller's memory, which must have exactly the plaintext's length. If it returns false, one of the
    /// inputs differs from that of sealing, and the memory is zero.
    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>,
        into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        let count = max(sealed.count - Self.vectorLength, 0)
        guard plaintext.count == count else {
            throw LockstepError(
                .misuse, "the AES-256-SIV output has \(plaintext.count) bytes, but the plaintext \(count)")
        }
        // An empty message was never sealed here and has no memory to wipe.
        guard count > 0 else { return false }
        try working.start(as: opening, associatedData)
        return unsafe plaintext.withUnsafeMutableBufferPointer { output in
            let opened = unsafe working.open(sealed, into: output)
            if !opened {
                ERR_clear_error()
                unsafe OPENSSL_cleanse(output.baseAddress, output.count)
            }
            return opened
        }
    }
}

/// A libcrypto context, for one message after it is started.
@safe
struct SIVContext: ~Copyable {
    private let context: OpaquePointer

    init() throws(LockstepError) {
        _ = ContextMemory.isInstalled
        unsafe context = try requireOpenSSL(unsafe EVP_CIPHER_CTX_new(), "AES-256-SIV")
    }

    // Freeing a context wipes the key schedules in it.
    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    func start(_ key: Span<UInt8>, encrypting: Bool) throws(LockstepError) {
        let cipher = unsafe Self.cipher
        let keyed = unsafe key.withUnsafeBufferPointer { key in
            ContextMemory.within {
                unsafe EVP_CipherInit_ex2(context, cipher, key.baseAddress, nil, encrypting ? 1 : 0, nil) == 1
            }
        }
        try requireOpenSSL(keyed, "AES-256-SIV")
    }

    func start(
        as keyed: borrowing SIVContext, _ associatedData: Span<UInt8>
    ) throws(LockstepError) {
        let copied = ContextMemory.within {
            unsafe EVP_CIPHER_CTX_copy(context, keyed.context) == 1
        }
        try requireOpenSSL(copied, "AES-256-SIV")
        let fed = unsafe associatedData.withUnsafeBufferPointer {
            unsafe update($0.baseAddress, $0.count, into: nil)
        }
        try requireOpenSSL(fed, "associated data")
    }

    /// Encrypts the bytes after the room for the vector and fills in the vector.
    func seal(_ message: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        let length = AES256SIV.vectorLength
        guard let vector = message.baseAddress else { return false }
        let start = unsafe vector + length
        return unsafe update(start, message.count - length, into: start)
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(length), vector) == 1
    }

    /// Decrypts the bytes after the vector and verifies the vector. The plaintext is written before it can be verified:
    /// the caller wipes it after a failure.
    func open(_ sealed: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        let length = AES256SIV.vectorLength
        return unsafe sealed.withUnsafeBufferPointer { sealed in
            guard let vector = sealed.baseAddress, let start = output.baseAddress else {
                return false
            }
            let tagSet = unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32(length), UnsafeMutablePointer(mutating: vector))
            return unsafe tagSet == 1 && update(vector + length, output.count, into: start)
        }
    }

    /// Processes a whole message, which the cipher must complete; without an output, processes associated data.
    private func update(
        _ input: UnsafePointer<UInt8>?, _ count: Int, into output: UnsafeMutablePointer<UInt8>?
    ) -> Bool {
        guard let length = Int32(exactly: count) else { return false }
        var written: Int32 = 0
        guard unsafe EVP_CipherUpdate(context, output, &written, input, length) == 1 else {
            return false
        }
        guard let output = unsafe output else { return true }
        return unsafe written == length && EVP_CipherFinal_ex(context, output, &written) == 1
    }

    // Fetched once; EVP_CIPHER objects are reference-counted and safe to share between threads.
    nonisolated(unsafe) private static let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-SIV", nil)
}
