internal import CCrypto

/// The key with which a context was last prepared. While the key stays the same, the context need not be prepared
/// again.
///
/// Comparing addresses is not enough: SQLCipher overwrites the old key with the new one in place.
struct CachedKey: ~Copyable {
    /// Bytes of an AES-256 key; SQLCipher's MAC keys have the same length (`sqlcipher_codec_ctx`, `key_sz`).
    static let length = 32

    private var secret: SecretBytes
    private var isSet = false

    init() throws(LockstepError) { secret = try SecretBytes(zeroed: Self.length) }

    /// Whether `key` equals the stored key, compared in constant time.
    @inline(__always)
    func isKept(_ key: UnsafePointer<UInt8>) -> Bool {
        unsafe isSet
            && secret.bytes.withUnsafeBytes {
                unsafe CRYPTO_memcmp($0.baseAddress, key, Self.length) == 0
            }
    }

    /// Stores `key`.
    mutating func keep(_ key: UnsafePointer<UInt8>) {
        var bytes = secret.mutableBytes
        unsafe bytes.withUnsafeMutableBytes {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: key, count: Self.length))
        }
        isSet = true
    }

    /// Forgets the stored key: every next key counts as new.
    mutating func forget() { isSet = false }
}
