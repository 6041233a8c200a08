internal import CCrypto

/// PBKDF2 (RFC 8018), with which SQLCipher derives page keys from passphrases.
enum PBKDF2 {
    /// Derives `count` bytes.
    static func derive(
        _ function: HashFunction, _ passphrase: Span<UInt8>, salt: Span<UInt8>, rounds: Int, count: Int = 32
    ) throws(LockstepError) -> SecretBytes {
        var output = try SecretBytes(zeroed: count)
        var target = output.mutableBytes
        let done = unsafe target.withUnsafeMutableBufferPointer { out in
            unsafe passphrase.withUnsafeBufferPointer { passphrase in
                unsafe salt.withUnsafeBufferPointer { salt in
                    unsafe derive(function, passphrase, salt, Int32(clamping: rounds), into: out)
                }
            }
        }
        try requireOpenSSL(done, "PBKDF2")
        return output
    }

    /// The same for unmanaged memory, as SQLCipher calls it.
    static func derive(
        _ function: HashFunction, _ passphrase: UnsafeBufferPointer<UInt8>, _ salt: UnsafeBufferPointer<UInt8>,
        _ rounds: Int32, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let bytes = unsafe UnsafeRawBufferPointer(passphrase).assumingMemoryBound(to: CChar.self)
        let done = ContextMemory.within {
            unsafe PKCS5_PBKDF2_HMAC(
                bytes.baseAddress, Int32(clamping: bytes.count), salt.baseAddress, Int32(clamping: salt.count), rounds,
                function.algorithm, Int32(clamping: output.count), output.baseAddress) == 1
        }
        if !done { ERR_clear_error() }
        return done
    }
}
