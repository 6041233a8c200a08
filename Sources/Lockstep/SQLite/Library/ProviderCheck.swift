internal import CSQLCipher

/// Checks that a provider's functions do what SQLCipher needs, called as SQLCipher calls them.
///
/// The expected values were computed with Python's hashlib, hmac and cryptography, not with the code under
/// test. Runs once per process, before the first database: about a tenth of a millisecond.
enum ProviderCheck {
    /// A page of SQLCipher 4 under its own keys: 4,016 bytes, byte i is 7 i + 3, page number 7.
    private struct Page {
        /// The key's bytes count up from here, then the MAC key's, then the vector's.
        let start: UInt8
        let head: [UInt8]
        /// The MACs with SHA-1, SHA-256 and SHA-512 over ciphertext, vector and page number.
        let codes: [String]

        var key: [UInt8] { (0..<32).map { start + $0 } }
        var macKey: [UInt8] { (32..<64).map { start + $0 } }
        var vector: [UInt8] { (64..<80).map { start + $0 } }
    }

    private static let plaintext = (0..<4016).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }

    private static let pages = [
        Page(
            start: 0,
            head: [0xAE, 0xBB, 0xB6, 0xD1, 0x03, 0x23, 0xD6, 0xC7, 0x57, 0x2D, 0x40, 0x24, 0x08, 0x1F, 0x7D, 0x5B],
            codes: [
                "af7952a5ff192ce64c2ed3d7321d9c7010a4bc09",
                "f46f2124e6bd5f6a12936b99e70794472bfa1cb9244aeb4018ec01b31b669530",
                "c32d68210a8fa12c9674268d6ba71070836614a8d84a479fc2c14ddcce5931eb"
                    + "a14d41d95e431ad64586e36c518f009a6842fc19c28bf303f2c3a75e48c75b70",
            ]),
        Page(
            start: 100,
            head: [0x67, 0xDF, 0xC4, 0x5C, 0x96, 0x65, 0x7E, 0x3A, 0x1C, 0x1C, 0x3F, 0x0C, 0x85, 0xF2, 0xD1, 0xBA],
            codes: [
                "8026e5625a5f27a8a73ac79043f9a2c913b9e360",
                "d5f47f084cfabf3235598e2021016bde7b150f0ecbb4cb2941b244bc4ef4d84c",
                "bfbbbf8dee67405824e8022094fa7d03b34ffd3a55b2f5b442983fa556763b98"
                    + "e5f106f3e85bc4360c0ec196666ac76d89f5bd7093c80c0a4f1812aeebfc5ef6",
            ]),
    ]

    /// "testkey" with a salt of 0 to 15 and two rounds, for SHA-1, SHA-256 and SHA-512.
    private static let derivedKeys = [
        "7996e9ba6a89a84ce7d906b99172bbf07224512559c76f94248f5aefc32b2eb1",
        "64f929523086f1e3289e5c9c9e8c93d30ab9b15dfc2b7d286eb15d4697baab14",
        "7873aae6ed54d7ffdf76024ef318d4ff38e6bf32700833949d9a47f9e73a670a",
    ]

    static func passes(_ provider: lockstep_crypto_provider) -> Bool {
        var context: UnsafeMutableRawPointer?
        guard unsafe provider.ctx_init(&context) == SQLITE_OK else { return false }
        // The same page twice, another page under other keys, then the first again: cached keys must work, and
        // must be replaced.
        let passed =
            unsafe [0, 0, 1, 0].allSatisfy { unsafe writesAndReads(pages[$0], provider, context) }
            && derives(provider, context) && isRandom(provider, context) && refusesNonsense(provider, context)
        let freed = unsafe provider.ctx_free(&context) == SQLITE_OK
        return unsafe passed && freed && context == nil
    }

    private static func writesAndReads(
        _ page: Page, _ provider: lockstep_crypto_provider, _ context: UnsafeMutableRawPointer?
    ) -> Bool {
        var (key, macKey, vector) = (page.key, page.macKey, page.vector)
        var number: [UInt8] = [7, 0, 0, 0]
        var plain = plaintext
        var sealed = [UInt8](repeating: 0, count: plain.count)
        var opened = sealed
        let count = Int32(plain.count)
        guard
            unsafe provider.cipher(context, 1, &key, 32, &vector, &plain, count, &sealed)
                == SQLITE_OK,
            sealed.starts(with: page.head)
        else { return false }
        var authenticated = sealed + vector
        for (algorithm, expected) in page.codes.enumerated() {
            var code = [UInt8](repeating: 0, count: 64)
            let length = unsafe Int(provider.get_hmac_sz(context, Int32(algorithm)))
            guard
                unsafe provider.hmac(
                    context, Int32(algorithm), &macKey, 32, &authenticated, Int32(authenticated.count), &number, 4,
                    &code) == SQLITE_OK, length <= code.count, Hex.encode(Array(code[..<length])) == expected
            else { return false }
        }
        return unsafe provider.cipher(context, 0, &key, 32, &vector, &sealed, count, &opened)
            == SQLITE_OK
            && opened == plain
    }

    private static func derives(_ provider: lockstep_crypto_provider, _ context: UnsafeMutableRawPointer?) -> Bool {
        let passphrase = Array("testkey".utf8)
        var salt = Array(0..<16 as Range<UInt8>)
        return derivedKeys.enumerated().allSatisfy { algorithm, expected in
            var key = [UInt8](repeating: 0, count: 32)
            return unsafe provider.kdf(
                context, Int32(algorithm), passphrase, Int32(passphrase.count), &salt, 16, 2, 32,
                &key) == SQLITE_OK && Hex.encode(key) == expected
        }
    }

    /// Seventeen times the bytes of a page, so that a ``RandomSupply`` runs out once.
    private static func isRandom(_ provider: lockstep_crypto_provider, _ context: UnsafeMutableRawPointer?) -> Bool {
        var last = [UInt8](repeating: 0, count: 80)
        return (0..<17).allSatisfy { _ in
            var bytes = [UInt8](repeating: 0, count: 80)
            guard unsafe provider.random(context, &bytes, 80) == SQLITE_OK else { return false }
            defer { last = bytes }
            // The vector comes first; the rest is there only if the reserve has spare room.
            return bytes[..<16] != last[..<16] && bytes[64...] != last[64...]
        }
    }

    /// A partial block, a short key, an algorithm that does not exist.
    private static func refusesNonsense(
        _ provider: lockstep_crypto_provider, _ context: UnsafeMutableRawPointer?
    ) -> Bool {
        var (key, bytes, vector) = ([UInt8](repeating: 1, count: 32), plaintext, plaintext)
        var output = [UInt8](repeating: 0, count: 64)
        return unsafe provider.cipher(context, 1, &key, 32, &vector, &bytes, 15, &output) != SQLITE_OK
            && provider.cipher(context, 1, &key, 16, &vector, &bytes, 16, &output) != SQLITE_OK
            && provider.hmac(context, 3, &key, 32, &bytes, 32, nil, 0, &output) != SQLITE_OK
            && provider.kdf(context, 3, key, 32, &bytes, 32, 2, 32, &output) != SQLITE_OK
    }
}
