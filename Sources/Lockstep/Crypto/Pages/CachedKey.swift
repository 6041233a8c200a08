internal import CCrypto

/// The key that a context was last prepared with, kept so that preparing it again can be left out while
/// the key stays the same.
///
/// An address would not do to tell keys apart: SQLCipher writes a changed key into the place of the old one.
struct CachedKey: ~Copyable {
    /// Bytes of a key of AES-256; SQLCipher's MAC keys are as long (`sqlcipher_codec_ctx`, `key_sz`).
    static let length = 32

    private var secret: SecretBytes
    private var isSet = false

    init() throws(LockstepError) { secret = try SecretBytes(zeroed: Self.length) }

    /// Whether `key` is the one that was kept; takes the same time wherever they differ.
    @inline(__always)
    func isKept(_ key: UnsafePointer<UInt8>) -> Bool {
        unsafe isSet
            && secret.bytes.withUnsafeBytes {
                unsafe CRYPTO_memcmp($0.baseAddress, key, Self.length) == 0
            }
    }

    /// Keeps `key` from now on.
    mutating func keep(_ key: UnsafePointer<UInt8>) {
        var bytes = secret.mutableBytes
        unsafe bytes.withUnsafeMutableBytes {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: key, count: Self.length))
        }
        isSet = true
    }

    /// Keeps none: the next key is a new one, whatever it is.
    mutating func forget() { isSet = false }
}
