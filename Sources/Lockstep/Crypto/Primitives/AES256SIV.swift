internal import CCrypto

/// AES-256-SIV (RFC 5297, the one of 64-byte keys) with one string of associated data: deterministic, so
/// that equal messages beside equal associated data come out equal, and only that shows.
///
/// No nonce, and nothing to count. It takes two passes over a message and a copied context for each:
/// ``XAES256GCM`` is for everything that need not be compared. An empty message is refused, because
/// libcrypto 3.0 "seals" one to a zero tag (openssl/openssl#17268). Empty associated data counts as one
/// empty string; libcrypto before 3.0.10 left it out (CVE-2023-2975). One value serves one thread at a
/// time.
///
/// The key schedules lie in contexts of libcrypto: see ``ContextMemory``.
struct AES256SIV: ~Copyable {
    /// Bytes of a key: one half authenticates, the other encrypts (RFC 5297, section 2.2).
    static let keyLength = 64
    /// Bytes that sealing puts before the ciphertext: the synthetic initialisation vector, which is the
    /// tag too.
    static let vectorLength = 16

    /// A context of libcrypto serves one message only: of a second one, its update fails and its tag is
    /// still the first one's. So these two stay as they were keyed, and what works is a copy of one of
    /// them, for a third of what keying it again would cost.
    private let sealing: SIVContext
    private let opening: SIVContext
    private let working: SIVContext

    init(key: Span<UInt8>) throws(LockstepError) {
        // EVP reads 64 bytes whatever the caller holds.
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

    /// The synthetic initialisation vector and the ciphertext of `plaintext`, which may not be empty.
    func seal(
        _ plaintext: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: Self.vectorLength + plaintext.count)
        unsafe sealed.withUnsafeMutableBytes { sealed in
            let target = unsafe UnsafeMutableRawBufferPointer(
                rebasing: sealed[Self.vectorLength...])
            unsafe plaintext.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        }
        var message = sealed.mutableSpan
        try seal(inPlace: &message, associatedData: associatedData)
        return sealed
    }

    /// The same where the plaintext lies, behind room for the synthetic initialisation vector in the
    /// first ``vectorLength`` bytes of `message`.
    /// - Throws: If it does, what `message` holds is of no use, and may be plaintext.
    func seal(
        inPlace message: inout MutableSpan<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) {
        guard message.count > Self.vectorLength else {
            throw LockstepError(
                .misuse, "AES-256-SIV cannot seal an empty message",
                hint: "put a type or a length before the value")
        }
        try working.start(as: sealing, associatedData)
        let done = unsafe message.withUnsafeMutableBufferPointer { unsafe working.seal($0) }
        try requireOpenSSL(done, "AES-256-SIV sealing")
    }

    /// The plaintext of what ``seal(_:associatedData:)`` made, or nil if any of the inputs is not what it
    /// was then. No byte of plaintext survives a failure.
    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) -> SecretBytes? {
        guard sealed.count > Self.vectorLength else { return nil }
        var plaintext = try SecretBytes(zeroed: sealed.count - Self.vectorLength)
        var output = plaintext.mutableBytes
        let opened = try open(sealed, associatedData: associatedData, into: &output)
        guard opened else { return nil }
        return plaintext
    }

    /// The same, into memory of the caller's, which holds exactly the plaintext; it is zero if this
    /// answers no.
    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>,
        into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        let count = max(sealed.count - Self.vectorLength, 0)
        guard plaintext.count == count else {
            throw LockstepError(
                .misuse, "AES-256-SIV was given \(plaintext.count) bytes of memory for \(count)")
        }
        // What would be empty was never sealed here, and has no memory to wipe.
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

/// A context of libcrypto, for one message after it was started.
@safe
private struct SIVContext: ~Copyable {
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
                unsafe EVP_CipherInit_ex2(
                    context, cipher, key.baseAddress, nil, encrypting ? 1 : 0, nil) == 1
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

    /// Encrypts what lies behind the room for the vector, and fills that.
    func seal(_ message: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        let length = AES256SIV.vectorLength
        guard let vector = message.baseAddress else { return false }
        let start = unsafe vector + length
        return unsafe update(start, message.count - length, into: start)
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(length), vector) == 1
    }

    /// Decrypts what lies behind the vector, which must turn out to be the message's. The plaintext is
    /// written before it can be checked: the caller wipes what failed.
    func open(_ sealed: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        let length = AES256SIV.vectorLength
        return unsafe sealed.withUnsafeBufferPointer { sealed in
            guard let vector = sealed.baseAddress, let start = output.baseAddress else {
                return false
            }
            let tagSet = unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32(length),
                UnsafeMutablePointer(mutating: vector))
            return unsafe tagSet == 1 && update(vector + length, output.count, into: start)
        }
    }

    /// Feeds a whole message, for which the cipher must say that it is done; or associated data, where
    /// there is no output.
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
