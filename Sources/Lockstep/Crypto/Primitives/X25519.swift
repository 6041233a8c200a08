internal import CCrypto

/// Key agreement on Curve25519 (RFC 7748).
enum X25519 {
    /// The public key of a secret key.
    static func publicKey(of secret: borrowing SecretBytes) throws(LockstepError) -> [UInt8] {
        try Curve25519Key(.x25519, secret: secret).publicBytes()
    }

    /// The shared secret, or nil if `publicKey` is a point of low order, for which the secret would be zero with any
    /// secret key (RFC 7748, section 6.1).
    static func sharedSecret(
        _ secret: borrowing SecretBytes, with publicKey: Span<UInt8>
    ) throws(LockstepError) -> SecretBytes? {
        let own = try Curve25519Key(.x25519, secret: secret)
        let other = try Curve25519Key(.x25519, public: publicKey)
        let context = unsafe try requireOpenSSL(unsafe EVP_PKEY_CTX_new_from_pkey(nil, own.handle, nil), "X25519")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let isReady = ContextMemory.within {
            unsafe EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, other.handle) == 1
        }
        try requireOpenSSL(isReady, "X25519")
        var shared = try SecretBytes(zeroed: Curve25519Key.length)
        var count = shared.count
        var target = shared.mutableBytes
        let done = unsafe target.withUnsafeMutableBufferPointer {
            output in
            ContextMemory.within {
                unsafe EVP_PKEY_derive(context, output.baseAddress, &count) == 1
            }
        }
        // libcrypto itself rejects a zero result; this code does not depend on that.
        let zero = [UInt8](repeating: 0, count: Curve25519Key.length)
        guard done, count == shared.count, !ConstantTime.equal(shared.bytes, zero.span) else {
            ERR_clear_error()
            return nil
        }
        return shared
    }
}
