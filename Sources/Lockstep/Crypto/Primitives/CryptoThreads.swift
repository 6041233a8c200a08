internal import CCrypto

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
