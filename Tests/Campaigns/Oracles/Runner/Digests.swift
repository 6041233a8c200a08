import CCrypto

/// Digests in the suites' notation: lower-case hexadecimal digits.
enum Digests {
    /// MD5, which sqllogictest uses for a long result.
    static func md5(_ bytes: [UInt8]) -> String { digest(bytes, EVP_md5()) }

    /// SHA-256, which age's testkit uses for a payload.
    static func sha256(_ bytes: [UInt8]) -> String { digest(bytes, EVP_sha256()) }

    private static func digest(_ bytes: [UInt8], _ algorithm: OpaquePointer?) -> String {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let done = bytes.withUnsafeBytes { bytes in
            EVP_Digest(bytes.baseAddress, bytes.count, &digest, &count, algorithm, nil)
        }
        guard done == 1 else { Stop.now("this libcrypto refuses a digest that the suite needs") }
        let digits = Array("0123456789abcdef")
        return digest.prefix(Int(count)).reduce(into: "") { text, byte in
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
    }
}
