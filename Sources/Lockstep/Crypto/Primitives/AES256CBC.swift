internal import CCrypto

/// AES-256-CBC for reading pages without SQLCipher: the first block of a SQLCipher 1 page, which has no MAC to check
/// the key, and the pages of a damaged file.
package enum AES256CBC {
    /// Decrypts whole 16-byte blocks without padding or authentication.
    package static func decrypt(
        _ blocks: Span<UInt8>, key: Span<UInt8>, initialisationVector: Span<UInt8>
    ) throws(LockstepError) -> [UInt8] {
        guard blocks.count > 0, blocks.count.isMultiple(of: 16), key.count == 32, initialisationVector.count == 16
        else {
            throw LockstepError(.misuse, "AES-256-CBC takes a 32-byte key and 16-byte blocks")
        }
        _ = ContextMemory.isInstalled
        let context = unsafe try requireOpenSSL(unsafe EVP_CIPHER_CTX_new(), "AES-256-CBC")
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: blocks.count + 16)
        let done = unsafe output.withUnsafeMutableBufferPointer { out in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe initialisationVector.withUnsafeBufferPointer { iv in
                    unsafe blocks.withUnsafeBufferPointer { blocks in
                        var written: Int32 = 0
                        return ContextMemory.within {
                            unsafe EVP_DecryptInit_ex2(context, EVP_aes_256_cbc(), key.baseAddress, iv.baseAddress, nil)
                                == 1
                                && EVP_CIPHER_CTX_set_padding(context, 0) == 1
                                && EVP_DecryptUpdate(
                                    context, out.baseAddress, &written, blocks.baseAddress,
                                    Int32(clamping: blocks.count)) == 1
                        }
                    }
                }
            }
        }
        try requireOpenSSL(done, "AES-256-CBC")
        output.removeLast(16)
        return output
    }
}
