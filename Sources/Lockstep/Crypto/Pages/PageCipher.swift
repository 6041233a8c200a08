internal import CCrypto

/// AES-256-CBC without padding over database pages, as fast as libcrypto can be made to do it.
///
/// What costs beside the cipher is kept from page to page: the algorithm is fetched once a process, the
/// contexts live as long as the value, and a key schedule is computed only when the key is another one.
/// A page then costs its initialisation vector and its blocks. One value serves one thread at a time.
///
/// The key schedules lie in contexts of libcrypto: see ``ContextMemory``.
struct PageCipher: ~Copyable {
    /// Bytes of a block and of an initialisation vector.
    static let blockLength = 16

    private var encryption: Direction
    private var decryption: Direction
    private var key: CachedKey

    init() throws(LockstepError) {
        let encryption = try Direction(encrypting: true)
        let decryption = try Direction(encrypting: false)
        key = try CachedKey()
        self.encryption = encryption
        self.decryption = decryption
    }

    /// Encrypts or decrypts `count` bytes under a key of ``CachedKey/length`` bytes.
    ///
    /// Nothing throws or allocates here: SQLCipher calls this for every page.
    /// - Returns: Whether `output` holds the outcome. After a failure it may hold a part of it, which the
    ///   caller must wipe.
    @inline(__always)
    mutating func apply(
        encrypting: Bool, key: UnsafePointer<UInt8>, vector: UnsafePointer<UInt8>,
        _ input: UnsafePointer<UInt8>, count: Int32, into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard count > 0, count & Int32(Self.blockLength - 1) == 0 else { return false }
        // During a change of key SQLCipher reads with one and writes with the other: the schedules are
        // then computed for every page, as they are without this type.
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
private struct Direction: ~Copyable {
    private let context: OpaquePointer
    /// Whether the context holds the schedule of the key that is kept.
    var hasKey = false

    init(encrypting: Bool) throws(LockstepError) {
        let cipher = unsafe Self.cipher
        let context = unsafe try requireOpenSSL(unsafe EVP_CIPHER_CTX_new(), "AES-256-CBC")
        // Padding is set off as a parameter, which stays with the context. Set off by
        // EVP_CIPHER_CTX_set_padding, libcrypto would set it again with every vector: 40 ns.
        var padding: UInt32 = 0
        let prepared = unsafe withUnsafeMutablePointer(to: &padding) { padding in
            // Parameters do not change their names; the address merely lacks const.
            let name = unsafe UnsafeRawPointer(Self.paddingParameter.utf8Start)
                .assumingMemoryBound(to: CChar.self)
            let parameters = unsafe [
                OSSL_PARAM_construct_uint(name, padding), OSSL_PARAM_construct_end(),
            ]
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
        // -1 leaves the direction as it is. Whole blocks without padding are all out after the update:
        // there is nothing to finish, and the next vector starts the context afresh.
        let done =
            unsafe EVP_CipherInit_ex2(context, nil, hasKey ? nil : key, vector, -1, nil) == 1
            && EVP_CipherUpdate(context, output, &written, input, count) == 1
            && written == count
        hasKey = done
        if !done { ERR_clear_error() }
        return done
    }

    /// OSSL_CIPHER_PARAM_PADDING, at an address that stays.
    private static let paddingParameter: StaticString = "padding"

    // Fetched once; EVP_CIPHER objects are reference-counted and safe to share between threads.
    nonisolated(unsafe) private static let cipher: OpaquePointer? = {
        _ = ContextMemory.isInstalled
        return unsafe EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
    }()
}
