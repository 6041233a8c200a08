internal import CCrypto

/// The libcrypto in this process.
public enum CryptoLibrary {
    /// Its version in its own words, as a C string that stays.
    static var version: UnsafePointer<CChar>? { unsafe OpenSSL_version(OPENSSL_VERSION) }

    /// What it calls itself, with its version, such as `OpenSSL 3.0.17 1 Jul 2025`.
    public static var name: String {
        guard let version = unsafe version else { return "unknown libcrypto" }
        return unsafe String(cString: version)
    }
}
