internal import CCrypto

/// Authenticated encryption with 96-bit nonces and 128-bit tags, for keys that are used once.
///
/// Never seal twice with one key and chosen or random nonces of this length; use ``XAES256GCM`` for that. One value
/// serves one thread at a time. The last message's key stays in a libcrypto context until the next message: see
/// ``ContextMemory``.
@safe
struct AEAD: ~Copyable {
    /// An algorithm with a key of 32 bytes.
    enum Algorithm {
        /// AES-256-GCM (NIST SP 800-38D), for Lockstep's own formats.
        case aes256GCM
        /// ChaCha20-Poly1305 (RFC 8439), for age files.
        case chaCha20Poly1305
    }

    /// Bytes of a nonce.
    static let nonceLength = 12
    /// Bytes that sealing adds.
    static let tagLength = 16

    private let context: OpaquePointer

    init(_ algorithm: Algorithm = .aes256GCM) throws(LockstepError) {
        let cipher =
            switch algorithm {
            case .aes256GCM: unsafe Self.aes
            case .chaCha20Poly1305: unsafe Self.chaCha
            }
        let context = unsafe try requireOpenSSL(unsafe EVP_CIPHER_CTX_new(), "an AEAD")
        // Naming the cipher for each message would free and allocate its state each time, which costs more than AES.
        let begun = ContextMemory.within {
            unsafe EVP_CipherInit_ex2(context, cipher, nil, nil, 1, nil) == 1
        }
        guard begun else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw openSSLFailure("an AEAD")
        }
        unsafe self.context = unsafe context
    }

    // Freeing a context wipes the key schedule in it.
    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// The ciphertext and tag of `plaintext`.
    func seal(
        _ plaintext: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>,
        associatedData: Span<UInt8>
    ) throws(LockstepError) -> [UInt8] {
        let count = plaintext.count
        var sealed = [UInt8](repeating: 0, count: count + Self.tagLength)
        unsafe sealed.withUnsafeMutableBytes { sealed in
            unsafe plaintext.withUnsafeBytes { unsafe sealed.copyMemory(from: $0) }
        }
        var message = sealed.mutableSpan
        try seal(inPlace: &message, key: key, nonce: nonce, associatedData: associatedData)
        return sealed
    }

    /// Seals in place; the tag goes into the last ``tagLength`` bytes of `message`.
    /// - Throws: If it throws, the content of `message` is unusable and can be plaintext.
    func seal(
        inPlace message: inout MutableSpan<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) {
        let count = message.count - Self.tagLength
        guard count >= 0 else {
            throw LockstepError(.misuse, "the AEAD's message has no room for its tag")
        }
        try begin(key: key, nonce: nonce, associatedData, encrypting: true)
        let done = unsafe message.withUnsafeMutableBufferPointer { message in
            guard let start = message.baseAddress else { return false }
            return unsafe update(UnsafePointer(start), count, into: start)
                && final(start + count)
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), start + count) == 1
        }
        try requireOpenSSL(done, "sealing")
    }

    /// The plaintext of a message from ``seal(_:key:nonce:associatedData:)``, or nil if any of the inputs differs. A
    /// failure leaves no plaintext in memory.
    func open(
        _ sealed: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>
    ) throws(LockstepError) -> SecretBytes? {
        // libcrypto accepts tags of any length from 1 byte, so the length is checked here.
        guard sealed.count >= Self.tagLength else { return nil }
        var plaintext = try SecretBytes(zeroed: sealed.count - Self.tagLength)
        var output = plaintext.mutableBytes
        let opened = try open(sealed, key: key, nonce: nonce, associatedData: associatedData, into: &output)
        guard opened else { return nil }
        return plaintext
    }

    /// Opens into the caller's memory, which must have exactly the plaintext's length. If it returns false, the memory
    /// is zero.
    func open(
        _ sealed: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, associatedData: Span<UInt8>,
        into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        guard sealed.count >= Self.tagLength else {
            Self.wipe(&plaintext)
            return false
        }
        let count = sealed.count - Self.tagLength
        guard plaintext.count == count else {
            throw LockstepError(.misuse, "the AEAD's output has \(plaintext.count) bytes, but the plaintext \(count)")
        }
        try begin(key: key, nonce: nonce, associatedData, encrypting: false)
        let opened = unsafe plaintext.withUnsafeMutableBufferPointer { out in
            unsafe open(sealed, count, into: out)
        }
        if !opened {
            ERR_clear_error()
            Self.wipe(&plaintext)
        }
        return opened
    }

    private static func wipe(_ memory: inout MutableSpan<UInt8>) {
        unsafe memory.withUnsafeMutableBufferPointer {
            unsafe OPENSSL_cleanse($0.baseAddress, $0.count)
        }
    }

    private func open(_ sealed: Span<UInt8>, _ count: Int, into out: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        // An empty output has no address; since it is not written, any address will do.
        var nothing: UInt8 = 0
        return unsafe withUnsafeMutablePointer(to: &nothing) { nothing in
            let start = unsafe out.baseAddress ?? nothing
            let tag = sealed.extracting(count...)
            let tagSet = unsafe tag.withUnsafeBytes { tag in
                unsafe EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength),
                    UnsafeMutableRawPointer(mutating: tag.baseAddress)) == 1
            }
            // The plaintext is written before the tag is checked; on failure the caller wipes it.
            return unsafe tagSet && update(sealed.extracting(..<count), into: start) && final(start + count)
        }
    }

    private func begin(
        key: Span<UInt8>, nonce: Span<UInt8>, _ associatedData: Span<UInt8>, encrypting: Bool
    ) throws(LockstepError) {
        // EVP reads 32 and 12 bytes, whatever the length of the arguments.
        guard key.count == 32, nonce.count == Self.nonceLength else {
            throw LockstepError(
                .misuse, "an AEAD takes a 32-byte key and a 12-byte nonce, not \(key.count) and \(nonce.count)")
        }
        let started = unsafe key.withUnsafeBufferPointer { key in
            unsafe nonce.withUnsafeBufferPointer { nonce in
                unsafe EVP_CipherInit_ex2(
                    context, nil, key.baseAddress, nonce.baseAddress, encrypting ? 1 : 0, nil) == 1
            }
        }
        try requireOpenSSL(started, "an AEAD")
        try requireOpenSSL(unsafe update(associatedData, into: nil), "associated data")
    }

    /// Processes `input`; without an output it counts as associated data.
    private func update(_ input: Span<UInt8>, into output: UnsafeMutablePointer<UInt8>?) -> Bool {
        unsafe input.withUnsafeBufferPointer {
            unsafe update($0.baseAddress, $0.count, into: output)
        }
    }

    private func update(
        _ input: UnsafePointer<UInt8>?, _ count: Int, into output: UnsafeMutablePointer<UInt8>?
    ) -> Bool {
        guard count > 0 else { return true }
        guard let length = Int32(exactly: count) else { return false }
        var written: Int32 = 0
        return unsafe EVP_CipherUpdate(context, output, &written, input, length) == 1
    }

    private func final(_ end: UnsafeMutablePointer<UInt8>) -> Bool {
        var written: Int32 = 0
        return unsafe EVP_CipherFinal_ex(context, end, &written) == 1
    }

    // Fetched once; EVP_CIPHER objects are reference-counted and safe to share between threads.
    nonisolated(unsafe) private static let aes = unsafe fetch("AES-256-GCM")
    nonisolated(unsafe) private static let chaCha = unsafe fetch("ChaCha20-Poly1305")

    private static func fetch(_ name: String) -> OpaquePointer? {
        _ = ContextMemory.isInstalled
        return unsafe EVP_CIPHER_fetch(nil, name, nil)
    }
}
