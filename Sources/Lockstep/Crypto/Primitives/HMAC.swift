internal import CCrypto

/// HMAC (RFC 2104) with one key, for any number of messages.
///
/// One value serves one thread at a time. Starting the next message needs no new key schedule. The states after the key
/// are in libcrypto contexts: see ``ContextMemory``.
@safe
struct HMAC: ~Copyable {
    private let context: OpaquePointer
    private let length: Int

    /// Prepares `key` for use with `function`.
    init(_ function: HashFunction, key: Span<UInt8>) throws(LockstepError) {
        let algorithm = unsafe Self.algorithm
        let context = unsafe try requireOpenSSL(
            unsafe ContextMemory.within { unsafe EVP_MAC_CTX_new(algorithm) }, "HMAC")
        guard ContextMemory.within({ unsafe Self.start(context, function, key) }) else {
            unsafe EVP_MAC_CTX_free(context)
            throw openSSLFailure("HMAC key")
        }
        unsafe self.context = unsafe context
        length = function.length
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    /// Adds bytes to the current message.
    func update(_ bytes: Span<UInt8>) throws(LockstepError) {
        let done = unsafe bytes.withUnsafeBufferPointer {
            unsafe EVP_MAC_update(context, $0.baseAddress, $0.count) == 1
        }
        try requireOpenSSL(done, "HMAC")
    }

    /// Ends the current message, returns its code and starts the next message.
    func finish() throws(LockstepError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: length)
        let done = unsafe code.withUnsafeMutableBufferPointer { unsafe finish(into: $0) }
        try requireOpenSSL(done, "HMAC")
        return code
    }

    /// Like ``finish()``, for a code that is itself a key.
    func finishSecret() throws(LockstepError) -> SecretBytes {
        var code = try SecretBytes(zeroed: length)
        var target = code.mutableBytes
        let done = unsafe target.withUnsafeMutableBufferPointer { unsafe finish(into: $0) }
        try requireOpenSSL(done, "HMAC")
        return code
    }

    private func finish(into output: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        var count = 0
        // Both copy the state after the key.
        return ContextMemory.within {
            unsafe EVP_MAC_final(context, output.baseAddress, &count, output.count) == 1
                && EVP_MAC_init(context, nil, 0, nil) == 1
        }
    }

    /// The code of one message.
    static func code(
        _ function: HashFunction, key: Span<UInt8>, message: Span<UInt8>
    ) throws(LockstepError) -> [UInt8] {
        let mac = try HMAC(function, key: key)
        try mac.update(message)
        return try mac.finish()
    }

    private static func start(_ context: OpaquePointer, _ function: HashFunction, _ key: Span<UInt8>) -> Bool {
        var empty: UInt8 = 0
        return unsafe function.name.withCString { name in
            unsafe withUnsafeMutablePointer(to: &empty) { empty in
                unsafe key.withUnsafeBufferPointer { key in
                    // A parameter stores the address of its key; the address of a Swift string would be
                    // invalid by the time it is read. For the value, the signature only lacks const.
                    let digest = unsafe UnsafeRawPointer(digestParameter.utf8Start).assumingMemoryBound(to: CChar.self)
                    var parameters = unsafe [
                        OSSL_PARAM_construct_utf8_string(digest, UnsafeMutablePointer(mutating: name), 0),
                        OSSL_PARAM_construct_end(),
                    ]
                    // A null key would mean "as before", so an empty key needs an address.
                    return unsafe EVP_MAC_init(context, key.baseAddress ?? UnsafePointer(empty), key.count, &parameters)
                        == 1
                }
            }
        }
    }

    /// OSSL_MAC_PARAM_DIGEST, at a permanent address.
    private static let digestParameter: StaticString = "digest"

    // Fetched once; EVP_MAC objects are reference-counted and safe to share between threads.
    nonisolated(unsafe) private static let algorithm: OpaquePointer? = {
        _ = ContextMemory.isInstalled
        return unsafe EVP_MAC_fetch(nil, "HMAC", nil)
    }()
}
