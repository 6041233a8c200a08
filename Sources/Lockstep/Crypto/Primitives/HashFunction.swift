internal import CCrypto

/// A hash function for HMAC, HKDF and PBKDF2.
package enum HashFunction: Sendable, CaseIterable {
    case sha1
    case sha256
    case sha512

    /// Its name in OpenSSL.
    var name: String {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha512: "SHA512"
        }
    }

    /// The length of its output in bytes.
    var length: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// The length of its input blocks in bytes (FIPS 180-4).
    var blockLength: Int {
        switch self {
        case .sha1, .sha256: 64
        case .sha512: 128
        }
    }

    /// The static libcrypto object, which lives as long as the process.
    var algorithm: OpaquePointer? {
        _ = ContextMemory.isInstalled
        return switch self {
        case .sha1: unsafe EVP_sha1()
        case .sha256: unsafe EVP_sha256()
        case .sha512: unsafe EVP_sha512()
        }
    }

    /// The digest of `bytes`.
    func digest(_ bytes: Span<UInt8>) throws(LockstepError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: length)
        let done = unsafe output.withUnsafeMutableBufferPointer { out in
            unsafe bytes.withUnsafeBytes { input in
                unsafe EVP_Digest(input.baseAddress, input.count, out.baseAddress, nil, algorithm, nil) == 1
            }
        }
        try requireOpenSSL(done, "digest")
        return output
    }
}
