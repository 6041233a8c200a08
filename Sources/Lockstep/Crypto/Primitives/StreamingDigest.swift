internal import CCrypto

/// A digest of bytes that arrive in pieces.
@safe
package struct StreamingDigest: ~Copyable {
    private let context: OpaquePointer
    private let length: Int

    package init(_ function: HashFunction) throws(LockstepError) {
        _ = ContextMemory.isInstalled
        let context = unsafe try requireOpenSSL(unsafe EVP_MD_CTX_new(), "digest")
        guard unsafe EVP_DigestInit_ex(context, function.algorithm, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw openSSLFailure("digest")
        }
        unsafe self.context = unsafe context
        length = function.length
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Adds bytes.
    func update(_ bytes: RawSpan) throws(LockstepError) {
        let done = unsafe bytes.withUnsafeBytes {
            unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1
        }
        try requireOpenSSL(done, "digest")
    }

    /// Adds bytes.
    package func update(_ bytes: [UInt8]) throws(LockstepError) {
        let span = bytes.span
        try unsafe update(span.bytes)
    }

    /// The digest of all added bytes.
    package consuming func finish() throws(LockstepError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: length)
        let done = unsafe output.withUnsafeMutableBufferPointer {
            unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil) == 1
        }
        try requireOpenSSL(done, "digest")
        return output
    }
}
