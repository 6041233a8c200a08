internal import CCrypto

/// Comparisons whose time reveals nothing about the bytes.
enum ConstantTime {
    /// Whether both have the same bytes; the time depends only on their lengths.
    static func equal(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { a in
            unsafe other.withUnsafeBytes { b in
                unsafe a.isEmpty || CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
            }
        }
    }
}
