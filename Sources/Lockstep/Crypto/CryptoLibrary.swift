internal import CCrypto

/// The libcrypto in this process.
enum CryptoLibrary {
    /// Its version in its own words, as a C string that stays.
    static var version: UnsafePointer<CChar>? { unsafe OpenSSL_version(OPENSSL_VERSION) }
}
