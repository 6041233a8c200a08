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

/// Lets the process end only after its worker threads have freed what libcrypto keeps for them.
enum CryptoThreads {
    /// Evaluated before a worker thread uses libcrypto.
    static let areWatched: Bool = {
        // Registers libcrypto's exit handler, which must be the earlier one.
        OPENSSL_init_crypto(0, nil)
        EndingThreads.watch { OPENSSL_thread_stop() }
        return true
    }()
}
