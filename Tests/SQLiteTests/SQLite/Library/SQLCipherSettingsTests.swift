import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Settings of SQLCipher files")
struct SQLCipherSettingsTests {
    @Test("Settings apply in their order to SQLCipher 4's defaults")
    func order() throws {
        var expected = Profile.current
        expected.pageSize = 1024
        #expect(try SQLCipherSettings("cipher_page_size = 1024").profile == expected)
        #expect(try SQLCipherSettings("cipher_compatibility=3").profile == Profile.older[0])
        // The version sets the size back.
        #expect(
            try SQLCipherSettings("cipher_page_size=8192, PRAGMA cipher_compatibility = 2;")
                .profile == Profile.older[1])
        expected = Profile.older[2]
        expected.pageSize = 8192
        #expect(try SQLCipherSettings("cipher_compatibility=1\ncipher_page_size 8192").profile == expected)
    }

    @Test("An algorithm alone does not turn on MACs that version 1 lacks")
    func silentAlgorithm() throws {
        #expect(
            try SQLCipherSettings("cipher_compatibility = 1; cipher_hmac_algorithm = HMAC_SHA256")
                .profile == Profile.older[2])
        let profile = try SQLCipherSettings(
            "cipher_compatibility = 1; cipher_hmac_algorithm = HMAC_SHA256; cipher_use_hmac = ON"
        ).profile
        #expect(profile.mac == .sha256 && profile.reserve == 48)
        #expect(try SQLCipherSettings("cipher_compatibility = 1; cipher_use_hmac = ON").profile.mac == .sha1)
    }

    @Test("What `PRAGMA cipher_settings` prints is read")
    func printed() throws {
        let settings = try SQLCipherSettings(
            """
            PRAGMA kdf_iter = 1000;
            PRAGMA cipher_page_size = 4096;
            PRAGMA cipher_use_hmac = 1;
            PRAGMA cipher_plaintext_header_size = 32;
            PRAGMA cipher_hmac_algorithm = HMAC_SHA256;
            PRAGMA cipher_kdf_algorithm = PBKDF2_HMAC_SHA1;
            PRAGMA cipher_salt = "x'01010101010101010101010101010101'";
            PRAGMA cipher_hmac_salt_mask = x'00'; PRAGMA cipher_hmac_pgno = be; fast_kdf_iter = 3
            """)
        let profile = Profile(
            version: 4, pageSize: 4096, mac: .sha256, derivation: .sha1, rounds: 1000, macRounds: 3,
            saltMask: 0, hasBigEndianNumbers: true, plaintextHeader: 32)
        #expect(settings.profile == profile)
        #expect(settings.salt == [UInt8](repeating: 1, count: 16))
        // What the engine says of a file is what it reads.
        let again = try SQLCipherSettings(profile.settings(derives: true))
        #expect(again.profile == profile)
    }

    @Test(
        "A value that a setting cannot have is refused with those that it can have",
        arguments: [
            "cipher_page_size = 1000", "cipher_page_size = 131072", "cipher_page_size = x", "kdf_iter = 0",
            "kdf_iter = 99999999999999999999", "fast_kdf_iter = -1", "cipher_compatibility = 5",
            "cipher_kdf_algorithm = SHA1", "cipher_use_hmac = maybe", "cipher_hmac_algorithm = none",
            "cipher_plaintext_header_size = 20", "cipher_plaintext_header_size = 1000000", "cipher_salt = x'00'",
            "cipher_salt = zz", "cipher_hmac_pgno = middle", "cipher_hmac_salt_mask = x'3a3a'",
        ])
    func values(_ text: String) throws {
        let error = Refusal.error(.misuse) { _ = try SQLCipherSettings(text) }
        let name = text.split(separator: " ")[0]
        #expect(error?.message.hasPrefix("\(name) cannot be ") == true)
        #expect(error?.hint?.hasPrefix("it is ") == true)
    }

    @Test("Unknown names, missing values and empty texts are refused")
    func texts() {
        for text in ["", " ;,\n", "PRAGMA", "kdf_iter", "kdf_iter = 1 2", "key = x", "cipher = aes"] {
            let error = Refusal.error(.misuse) { _ = try SQLCipherSettings(text) }
            #expect(error?.hint != nil)
        }
    }
}
