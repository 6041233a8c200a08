internal import CCrypto

/// The libcrypto that this process uses.
public enum CryptoLibrary {
    /// Its own version text, as a permanent C string.
    static var version: UnsafePointer<CChar>? { unsafe OpenSSL_version(OPENSSL_VERSION) }

    /// Its name and version, such as `OpenSSL 3.0.17 1 Jul 2025`.
    public static var name: String {
        guard let version = unsafe version else { return "unknown libcrypto" }
        return unsafe String(cString: version)
    }
}
