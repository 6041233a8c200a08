internal import CCrypto

/// PBKDF2 (RFC 8018), as SQLCipher derives page keys from passphrases.
enum PBKDF2 {
    /// Derives `count` bytes.
    static func derive(
        _ function: HashFunction, _ passphrase: Span<UInt8>, salt: Span<UInt8>, rounds: Int,
        count: Int = 32
    ) throws(LockstepError) -> SecretBytes {
        var output = try SecretBytes(zeroed: count)
        var target = output.mutableBytes
        let done = unsafe target.withUnsafeMutableBufferPointer { out in
            unsafe passphrase.withUnsafeBytes { passphrase in
                unsafe salt.withUnsafeBufferPointer { salt in
                    unsafe PKCS5_PBKDF2_HMAC(
                        passphrase.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(clamping: passphrase.count), salt.baseAddress,
                        Int32(clamping: salt.count), Int32(clamping: rounds), function.algorithm,
                        Int32(clamping: out.count), out.baseAddress) == 1
                }
            }
        }
        try requireOpenSSL(done, "PBKDF2")
        return output
    }
}
