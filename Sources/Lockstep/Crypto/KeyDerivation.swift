internal import CCrypto

/// HKDF (RFC 5869) with SHA-256: many independent keys from one good key.
enum HKDF {
    /// Derives `count` bytes; `info` says what for. A missing salt counts as 32 zero bytes.
    static func derive(
        _ key: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int = 32
    ) throws(LockstepError) -> SecretBytes {
        // RFC 5869, section 2.3: at most 255 blocks.
        guard count <= 255 * 32 else {
            throw LockstepError(.misuse, "HKDF-SHA256 yields at most 8160 bytes, not \(count)")
        }
        let extractor = try HMAC(.sha256, key: salt)
        try extractor.update(key)
        let extracted = try extractor.finishSecret()
        let expander = try HMAC(.sha256, key: extracted.bytes)
        var output = try SecretBytes(zeroed: count)
        var block = try SecretBytes(zeroed: 0)
        var filled = 0
        var counter: UInt8 = 1
        while filled < count {
            try expander.update(block.bytes)
            try expander.update(info)
            try expander.update([counter].span)
            block = try expander.finishSecret()
            let share = min(block.count, count - filled)
            var target = output.mutableBytes
            for index in 0..<share { target[filled + index] = block.bytes[index] }
            filled += share
            counter &+= 1
        }
        return output
    }
}

/// scrypt (RFC 7914): a key from a passphrase, at a price in time and memory.
enum Scrypt {
    /// How dear a guess shall be.
    struct Cost: Sendable, Hashable {
        /// The binary logarithm of N. Memory is 128·r·N bytes: 128 MiB at 17 with r = 8.
        let logN: Int
        let r: Int
        let p: Int

        /// OWASP's minimum for scrypt (Password Storage Cheat Sheet): N = 2^17, r = 8, p = 1.
        static let standard = Cost(logN: 17, r: 8, p: 1)
        /// Read up to N = 2^20 (1 GiB), or a keyring could exhaust the reader's memory.
        static let readable = 14...20
        /// Below 2^16 a guess is cheaper than it should be; keyrings with less get a warning.
        static let advisable = 16
    }

    /// Derives 32 bytes.
    static func derive(
        _ passphrase: Span<UInt8>, salt: Span<UInt8>, cost: Cost
    ) throws(LockstepError) -> SecretBytes {
        try derive(
            passphrase, salt: salt, n: 1 << UInt64(cost.logN), r: cost.r, p: cost.p, count: 32)
    }

    /// Derives `count` bytes with N as it stands in RFC 7914.
    static func derive(
        _ passphrase: Span<UInt8>, salt: Span<UInt8>, n: UInt64, r: Int, p: Int, count: Int
    ) throws(LockstepError) -> SecretBytes {
        var output = try SecretBytes(zeroed: count)
        // Without a limit of its own libcrypto allows 32 MiB and refuses every N from 2^15 on.
        let memory = 128 * n * UInt64(r) + 128 * UInt64(r) * UInt64(p) + 1_048_576
        var target = output.mutableBytes
        let done = unsafe target.withUnsafeMutableBufferPointer { out in
            unsafe passphrase.withUnsafeBytes { passphrase in
                unsafe salt.withUnsafeBufferPointer { salt in
                    unsafe EVP_PBE_scrypt(
                        passphrase.baseAddress?.assumingMemoryBound(to: CChar.self),
                        passphrase.count, salt.baseAddress, salt.count,
                        n, UInt64(r), UInt64(p), memory, out.baseAddress, out.count) == 1
                }
            }
        }
        try requireOpenSSL(done, "scrypt")
        return output
    }
}

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
