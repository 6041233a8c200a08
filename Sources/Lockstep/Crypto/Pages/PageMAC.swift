internal import CCrypto

/// HMAC (RFC 2104) over database pages, for as long as the key stays the same at the price of the hash
/// function alone.
///
/// HMAC hashes a block made of the key, then the message; and a second such block, then the first digest.
/// The states after these blocks are computed once a key and copied for every page. That is what
/// libcrypto's own HMAC does, too, but reaching it through `EVP_MAC` costs 400 ns a page more (of 5,900,
/// with OpenSSL 3.0). One value serves one thread at a time.
///
/// The states lie in contexts of libcrypto, the copies for a page too: see ``ContextMemory``.
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

    /// The code of `first` and `second`, one behind the other, under a key of ``CachedKey/length`` bytes.
    ///
    /// Nothing throws or allocates here but the one copy of a state in libcrypto: SQLCipher calls this for
    /// every page.
    /// - Returns: Whether `output`, which has room for the function's length, holds the code.
    @inline(__always)
    mutating func code(
        _ function: HashFunction, key: UnsafePointer<UInt8>, _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        if unsafe self.function != function || !self.key.isKept(key) {
            guard unsafe prepare(function, key) else { return false }
        }
        // The first digest is no secret, and passes through the output.
        let done = ContextMemory.within {
            unsafe running.start(from: inner) && running.add(first)
                && (second.isEmpty || running.add(second)) && running.finish(into: output)
                && running.start(from: outer)
                && running.add(UnsafeRawBufferPointer(start: output, count: function.length))
                && running.finish(into: output)
        }
        if !done { ERR_clear_error() }
        return done
    }

    /// Computes the two states. If it fails there is no key, and the next code tries again.
    @inline(never)
    private mutating func prepare(_ function: HashFunction, _ key: UnsafePointer<UInt8>) -> Bool {
        self.key.forget()
        self.function = nil
        // The bytes that the key is mixed with: RFC 2104, section 2.
        guard unsafe begin(inner, function, key, mixedWith: 0x36),
            unsafe begin(outer, function, key, mixedWith: 0x5C)
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
        // A key longer than a block would have to be hashed first; ours is not.
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
private struct DigestContext: ~Copyable {
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
