internal import CCrypto

/// A libcrypto private or public key for X25519 or Ed25519.
@safe
struct Curve25519Key: ~Copyable {
    enum Algorithm {
        /// Key agreement (RFC 7748).
        case x25519
        /// Signatures (RFC 8032).
        case ed25519

        fileprivate var identifier: Int32 {
            switch self {
            case .x25519: EVP_PKEY_X25519
            case .ed25519: EVP_PKEY_ED25519
            }
        }
    }

    /// The length of private and public keys in bytes (RFC 7748, section 5; RFC 8032, section 5.1.5).
    static let length = 32

    let handle: OpaquePointer

    /// The private key with these 32 bytes. libcrypto keeps its copy in the secure heap.
    init(_ algorithm: Algorithm, secret: borrowing SecretBytes) throws(LockstepError) {
        let bytes = secret.bytes
        let key = unsafe bytes.withUnsafeBufferPointer {
            bytes in
            unsafe ContextMemory.within {
                unsafe EVP_PKEY_new_raw_private_key(algorithm.identifier, nil, bytes.baseAddress, bytes.count)
            }
        }
        unsafe handle = try requireOpenSSL(unsafe key, "private key")
    }

    /// The public key with these 32 bytes.
    init(_ algorithm: Algorithm, public bytes: Span<UInt8>) throws(LockstepError) {
        _ = ContextMemory.isInstalled
        let key = unsafe bytes.withUnsafeBufferPointer {
            unsafe EVP_PKEY_new_raw_public_key(
                algorithm.identifier, nil, $0.baseAddress, $0.count)
        }
        unsafe handle = try requireOpenSSL(unsafe key, "public key")
    }

    deinit { unsafe EVP_PKEY_free(handle) }

    /// The public key's 32 bytes.
    func publicBytes() throws(LockstepError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.length)
        var count = bytes.count
        let done = unsafe bytes.withUnsafeMutableBufferPointer {
            unsafe EVP_PKEY_get_raw_public_key(handle, $0.baseAddress, &count) == 1
        }
        try requireOpenSSL(done && count == Self.length, "public key")
        return bytes
    }
}
