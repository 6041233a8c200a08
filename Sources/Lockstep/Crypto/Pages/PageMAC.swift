internal import CCrypto

/// HMAC (RFC 2104) over database pages. While the key stays the same, it costs only the hash function.
///
/// HMAC hashes a block made from the key and then the message; then a second such block and the first digest. The
/// states after these blocks are computed once per key and copied for every page. libcrypto's own HMAC does the same,
/// but calling it through `EVP_MAC` costs 400 ns more per page (of 5,900, with OpenSSL 3.0). One value serves one
/// thread at a time.
///
/// The states and their copies for a page are in libcrypto contexts: see ``ContextMemory``.
struct PageMAC: ~Copyable {
    private let inner: DigestContext
    private let outer: DigestContext
    private let running: DigestContext
    private var key: CachedKey
    private var function: HashFunction?

    init() throws(LockstepError) {
        let inner = try DigestContext()
        let outer = try DigestContext()
        let running = try DigestContext()
        key = try CachedKey()
        self.inner = inner
        self.outer = outer
        self.running = running
    }

    /// The code of `first` followed by `second`, with a key of ``CachedKey/length`` bytes.
    ///
    /// It does not throw or allocate, except that libcrypto copies a state: SQLCipher calls it for every page.
    /// - Returns: Whether `output`, which has room for the function's length, contains the code.
    @inline(__always)
    mutating func code(
        _ function: HashFunction, key: UnsafePointer<UInt8>, _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        if unsafe self.function != function || !self.key.isKept(key) {
            guard unsafe prepare(function, key) else { return false }
        }
        // The first digest is not secret, so it passes through the output.
        let done = ContextMemory.within {
            unsafe running.start(from: inner) && running.add(first) && (second.isEmpty || running.add(second))
                && running.finish(into: output) && running.start(from: outer)
                && running.add(UnsafeRawBufferPointer(start: output, count: function.length))
                && running.finish(into: output)
        }
        if !done { ERR_clear_error() }
        return done
    }

    /// Computes the two states. If it fails, no key is stored, and the next code tries again.
    @inline(never)
    private mutating func prepare(_ function: HashFunction, _ key: UnsafePointer<UInt8>) -> Bool {
        self.key.forget()
        self.function = nil
        // The constants that are combined with the key: RFC 2104, section 2.
        guard unsafe begin(inner, function, key, mixedWith: 0x36), unsafe begin(outer, function, key, mixedWith: 0x5C)
        else {
            ERR_clear_error()
            return false
        }
        unsafe self.key.keep(key)
        self.function = function
        return true
    }

    private func begin(
        _ context: borrowing DigestContext, _ function: HashFunction,
        _ key: UnsafePointer<UInt8>, mixedWith byte: UInt8
    ) -> Bool {
        // A key longer than a block would have to be hashed first; this one is shorter.
        guard var block = try? SecretBytes(zeroed: function.blockLength) else { return false }
        var bytes = block.mutableBytes
        for index in 0..<bytes.count {
            bytes[index] = byte ^ (index < CachedKey.length ? unsafe key[index] : 0)
        }
        return unsafe block.bytes.withUnsafeBytes { block in
            ContextMemory.within { unsafe context.start(function) && context.add(block) }
        }
    }
}

/// A running digest.
@safe
struct DigestContext: ~Copyable {
    private let context: OpaquePointer

    init() throws(LockstepError) {
        _ = ContextMemory.isInstalled
        unsafe context = try requireOpenSSL(unsafe EVP_MD_CTX_new(), "digest")
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    func start(_ function: HashFunction) -> Bool {
        unsafe EVP_DigestInit_ex2(context, function.algorithm, nil) == 1
    }

    @inline(__always)
    func start(from other: borrowing DigestContext) -> Bool {
        unsafe EVP_MD_CTX_copy_ex(context, other.context) == 1
    }

    @inline(__always)
    func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }

    @inline(__always)
    func finish(into output: UnsafeMutablePointer<UInt8>) -> Bool {
        unsafe EVP_DigestFinal_ex(context, output, nil) == 1
    }
}
