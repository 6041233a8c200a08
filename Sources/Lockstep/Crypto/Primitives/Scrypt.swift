internal import CCrypto

/// scrypt (RFC 7914): derives a key from a passphrase at a chosen cost in time and memory.
package enum Scrypt {
    /// The cost of a guess.
    package struct Cost: Sendable, Hashable {
        /// The binary logarithm of N. Memory is 128·r·N bytes: 128 MiB at 17 with r = 8.
        let logN: Int
        let r: Int
        let p: Int

        /// N itself.
        var n: Int { 1 << logN }
        /// The memory for one derivation, in bytes (RFC 7914, section 5: the array V).
        var memory: Int { 128 * r * n }

        /// The OWASP minimum for scrypt (Password Storage Cheat Sheet): N = 2^17, r = 8, p = 1.
        package static let standard = Cost(logN: 17, r: 8, p: 1)
        /// Keyrings are read up to N = 2^20 (1 GiB); otherwise a keyring could exhaust the reader's memory.
        static let readable = 14...20
        /// The range for new slots.
        static let choosable = advisable...20
        /// The cost of one slot with N = 2^21: 16 standard slots, about 8 seconds.
        static let maximumTogether = 1 << 21
        /// The maximum total cost of keyrings from older versions. They are read, but one opening spends at most
        /// ``maximumTogether``.
        static let maximumTogetherBefore = 1 << 23
        /// Below 2^16, guessing is too cheap; keyrings with less get a warning.
        static let advisable = 16
    }

    /// Derives 32 bytes.
    static func derive(
        _ passphrase: Span<UInt8>, salt: Span<UInt8>, cost: Cost
    ) throws(LockstepError) -> SecretBytes {
        try derive(passphrase, salt: salt, n: 1 << UInt64(cost.logN), r: cost.r, p: cost.p, count: 32)
    }

    /// Derives `count` bytes with N as defined in RFC 7914.
    static func derive(
        _ passphrase: Span<UInt8>, salt: Span<UInt8>, n: UInt64, r: Int, p: Int, count: Int
    ) throws(LockstepError) -> SecretBytes {
        var output = try SecretBytes(zeroed: count)
        // Without an explicit limit, libcrypto allows 32 MiB and rejects every N from 2^15.
        let memory = 128 * n * UInt64(r) + 128 * UInt64(r) * UInt64(p) + 1_048_576
        var target = output.mutableBytes
        let done = unsafe target.withUnsafeMutableBufferPointer { out in
            unsafe passphrase.withUnsafeBytes { passphrase in
                unsafe salt.withUnsafeBufferPointer { salt in
                    ContextMemory.within {
                        unsafe EVP_PBE_scrypt(
                            passphrase.baseAddress?.assumingMemoryBound(to: CChar.self),
                            passphrase.count, salt.baseAddress, salt.count,
                            n, UInt64(r), UInt64(p), memory, out.baseAddress, out.count) == 1
                    }
                }
            }
        }
        try requireOpenSSL(done, "scrypt")
        return output
    }
}
