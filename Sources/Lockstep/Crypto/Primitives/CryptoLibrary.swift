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
        // Before libcrypto allocates anything.
        _ = ContextMemory.isInstalled
        // Registers libcrypto's exit handler, which must be the earlier one. Without any option it would do nothing.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_LOAD_CRYPTO_STRINGS), nil)
        EndingThreads.watch { OPENSSL_thread_stop() }
        return true
    }()
}
