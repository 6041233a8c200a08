internal import CCrypto

/// AES-256-CBC without padding over database pages, as fast as libcrypto allows.
///
/// Setup work is reused from page to page: the algorithm is fetched once per process, the contexts live as long as the
/// value, and a key schedule is computed only when the key changes. A page then costs only its initialization vector
/// and its blocks. One value serves one thread at a time.
///
/// The key schedules are in libcrypto contexts: see ``ContextMemory``.
struct PageCipher: ~Copyable {
    /// Bytes of a block and of an initialization vector.
    static let blockLength = 16

    private var encryption: PageCipherContext
    private var decryption: PageCipherContext
    private var key: CachedKey

    init() throws(LockstepError) {
        let encryption = try PageCipherContext(encrypting: true)
        let decryption = try PageCipherContext(encrypting: false)
        key = try CachedKey()
        self.encryption = encryption
        self.decryption = decryption
    }

    /// Encrypts or decrypts `count` bytes with a key of ``CachedKey/length`` bytes.
    ///
    /// It does not throw or allocate: SQLCipher calls it for every page.
    /// - Returns: Whether `output` contains the result. After a failure it can contain a part of it, which the caller
    ///   must wipe.
    @inline(__always)
    mutating func apply(
        encrypting: Bool, key: UnsafePointer<UInt8>, vector: UnsafePointer<UInt8>,
        _ input: UnsafePointer<UInt8>, count: Int32, into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard count > 0, count & Int32(Self.blockLength - 1) == 0 else { return false }
        // During a key change, SQLCipher reads with one key and writes with the other. The schedules are then computed
        // for every page, as without this type.
        if unsafe !self.key.isKept(key) {
            encryption.hasKey = false
            decryption.hasKey = false
            unsafe self.key.keep(key)
        }
        return encrypting
            ? unsafe encryption.apply(key, vector, input, count, into: output)
            : unsafe decryption.apply(key, vector, input, count, into: output)
    }
}

/// One context, for one of the two directions.
@safe
struct PageCipherContext: ~Copyable {
    private let context: OpaquePointer
    /// Whether the context has the schedule of the stored key.
    var hasKey = false

    init(encrypting: Bool) throws(LockstepError) {
        let cipher = unsafe Self.cipher
        let context = unsafe try requireOpenSSL(unsafe EVP_CIPHER_CTX_new(), "AES-256-CBC")
        // Padding is turned off by a parameter, which persists in the context. If it were turned off by
        // EVP_CIPHER_CTX_set_padding, libcrypto would set it again with every vector: 40 ns.
        var padding: UInt32 = 0
        let prepared = unsafe withUnsafeMutablePointer(to: &padding) { padding in
            // libcrypto does not change parameter names; the signature only lacks const.
            let name = unsafe UnsafeRawPointer(Self.paddingParameter.utf8Start)
                .assumingMemoryBound(to: CChar.self)
            let parameters = unsafe [OSSL_PARAM_construct_uint(name, padding), OSSL_PARAM_construct_end()]
            return ContextMemory.within {
                unsafe EVP_CipherInit_ex2(
                    context, cipher, nil, nil, encrypting ? 1 : 0, parameters) == 1
            }
        }
        guard prepared else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw openSSLFailure("AES-256-CBC")
        }
        unsafe self.context = unsafe context
    }

    // Freeing a context wipes the key schedule in it.
    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    @inline(__always)
    mutating func apply(
        _ key: UnsafePointer<UInt8>, _ vector: UnsafePointer<UInt8>, _ input: UnsafePointer<UInt8>,
        _ count: Int32, into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        var written: Int32 = 0
        // -1 keeps the direction. Without padding, the update outputs all whole blocks: there is nothing to finish,
        // and the next vector resets the context.
        let done =
            unsafe EVP_CipherInit_ex2(context, nil, hasKey ? nil : key, vector, -1, nil) == 1
            && EVP_CipherUpdate(context, output, &written, input, count) == 1
            && written == count
        hasKey = done
        if !done { ERR_clear_error() }
        return done
    }

    /// OSSL_CIPHER_PARAM_PADDING, at a permanent address.
    private static let paddingParameter: StaticString = "padding"

    // Fetched once; EVP_CIPHER objects are reference-counted and safe to share between threads.
    nonisolated(unsafe) private static let cipher: OpaquePointer? = {
        _ = ContextMemory.isInstalled
        return unsafe EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
    }()
}
