internal import CCrypto

/// Random bytes that need not be kept secret: salts, nonces, identifiers. Keys come from
/// ``SecretBytes/init(random:)``.
package enum Random {
    /// `count` bytes from OpenSSL's public generator.
    package static func bytes(_ count: Int) throws(LockstepError) -> [UInt8] {
        _ = ContextMemory.isInstalled
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = unsafe bytes.withUnsafeMutableBufferPointer {
            unsafe RAND_bytes($0.baseAddress, Int32(clamping: count)) == 1
        }
        try requireOpenSSL(filled, "random bytes")
        return bytes
    }
    /// Adds the caller's bytes to the generator. They do not count as entropy.
    static func stir(_ bytes: UnsafeRawBufferPointer) {
        _ = ContextMemory.isInstalled
        unsafe RAND_add(bytes.baseAddress, Int32(clamping: bytes.count), 0)
    }
}
