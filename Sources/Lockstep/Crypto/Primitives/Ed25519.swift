internal import CCrypto

/// Signatures on edwards25519 (RFC 8032, pure Ed25519).
enum Ed25519 {
    /// The length of a signature in bytes.
    static let signatureLength = 64

    /// The public key of a seed.
    static func publicKey(of seed: borrowing SecretBytes) throws(LockstepError) -> [UInt8] {
        try Curve25519Key(.ed25519, secret: seed).publicBytes()
    }

    /// Signs a message with a seed of 32 bytes.
    static func sign(
        _ message: Span<UInt8>, with seed: borrowing SecretBytes
    ) throws(LockstepError) -> [UInt8] {
        let key = try Curve25519Key(.ed25519, secret: seed)
        let context = unsafe try requireOpenSSL(unsafe EVP_MD_CTX_new(), "Ed25519")
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: signatureLength)
        var count = signature.count
        let done = unsafe signature.withUnsafeMutableBufferPointer { signature in
            unsafe message.withUnsafeBufferPointer { message in
                ContextMemory.within {
                    unsafe EVP_DigestSignInit(context, nil, nil, nil, key.handle) == 1
                        && EVP_DigestSign(context, signature.baseAddress, &count, message.baseAddress, message.count)
                            == 1
                }
            }
        }
        try requireOpenSSL(done && count == signatureLength, "Ed25519")
        return signature
    }

    /// Whether `signature` is a valid signature of `message` by `publicKey`. Keys of low order, for which one signature
    /// can match many messages, verify nothing.
    static func verify(
        _ signature: Span<UInt8>, of message: Span<UInt8>, under publicKey: [UInt8]
    ) throws(LockstepError) -> Bool {
        guard signature.count == signatureLength, publicKey.count == Curve25519Key.length, !isOfLowOrder(publicKey)
        else { return false }
        let key = try Curve25519Key(.ed25519, public: publicKey.span)
        let context = unsafe try requireOpenSSL(unsafe EVP_MD_CTX_new(), "Ed25519")
        defer {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key.handle) == 1 else {
            throw openSSLFailure("Ed25519")
        }
        return unsafe signature.withUnsafeBufferPointer { signature in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_DigestVerify(
                    context, signature.baseAddress, signature.count, message.baseAddress, message.count) == 1
            }
        }
    }

    /// Whether a key is one of the eight points of low order, in any encoding. The sign bit does not matter: the
    /// negative of such a point is also of low order.
    private static func isOfLowOrder(_ key: [UInt8]) -> Bool {
        var y = key
        y[31] &= 0x7F
        return lowOrder.contains(y)
    }

    // The y-coordinates of the points of order 1, 2, 4 and 8 (RFC 7748, section 6.1, and the curve's
    // equation), and the values below 2^255 that are congruent to them modulo p = 2^255 - 19.
    private static let lowOrder: Set<[UInt8]> = {
        let zero = [UInt8](repeating: 0, count: 32)
        let one = [1] + zero.dropFirst()
        let p = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        let minusOne = [0xEC] + p.dropFirst()
        let onePlusP = [0xEE] + p.dropFirst()
        let eighth: [UInt8] = [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0,
            0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
            0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39,
            0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ]
        let otherEighth: [UInt8] = [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f,
            0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
            0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6,
            0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ]
        return [zero, one, p, minusOne, onePlusP, eighth, otherEighth]
    }()
}
