import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct AESGCMTests {
    /// Test cases 13 to 16 of the GCM specification (McGrew and Viega), and one of NIST's CAVP.
    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let key: String
        let nonce: String
        var associatedData = ""
        var plaintext = ""
        var ciphertext = ""
        let tag: String

        var testDescription: String { name }
    }

    private static let longKey =
        "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
    private static let longText =
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    private static let longCiphertext =
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"

    static let examples = [
        Example(
            name: "case 13", key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12), tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Example(
            name: "case 14", key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
            plaintext: String(repeating: "00", count: 16),
            ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Example(
            name: "case 15", key: longKey, nonce: "cafebabefacedbaddecaf888", plaintext: longText + "1aafd255",
            ciphertext: longCiphertext + "898015ad", tag: "b094dac5d93471bdec1a502270e3cc6c"),
        Example(
            name: "case 16", key: longKey, nonce: "cafebabefacedbaddecaf888",
            associatedData: "feedfacedeadbeeffeedfacedeadbeefabaddad2", plaintext: longText,
            ciphertext: longCiphertext, tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
        Example(
            name: "CAVP",
            key: "92e11dcdaa866f5ce790fd24501f92509aacf4cb8b1339d50c9c1240935dd08b",
            nonce: "ac93a1a6145299bde902f21a",
            associatedData: "1e0889016f67601c8ebea4943bc23ad6",
            plaintext: "2d71bcfa914e4ac045b2aa60955fad24",
            ciphertext: "8995ae2e6df3dbf96fac7b7137bae67f",
            tag: "eca5aa77d51d4a0a14d9c51e1da474ab"),
    ]

    @Test("published examples seal and open as published", arguments: examples)
    func knownAnswer(_ example: Example) throws {
        let gcm = try AEAD()
        let (key, nonce) = (Bytes.hex(example.key), Bytes.hex(example.nonce))
        let (text, data) = (Bytes.hex(example.plaintext), Bytes.hex(example.associatedData))
        let sealed = try gcm.seal(text.span, key: key.span, nonce: nonce.span, associatedData: data.span)
        #expect(Hex.encode(sealed) == example.ciphertext + example.tag)
        let opened = try gcm.open(sealed.span, key: key.span, nonce: nonce.span, associatedData: data.span)
        #expect(Secrets.bytes(ofOptional: opened) == text)
    }

    @Test("one context serves many messages, even after one has failed")
    func reuse() throws {
        let gcm = try AEAD()
        let data = Array("bound".utf8)
        for round in UInt8(0)..<50 {
            let key = [UInt8](repeating: round, count: 32)
            let nonce = [UInt8](repeating: round, count: 12)
            let text = [UInt8](repeating: round, count: Int(round))
            var sealed = try gcm.seal(text.span, key: key.span, nonce: nonce.span, associatedData: data.span)
            let opened = try gcm.open(sealed.span, key: key.span, nonce: nonce.span, associatedData: data.span)
            #expect(Secrets.bytes(ofOptional: opened) == text)
            sealed[0] ^= 1
            let spoilt = try gcm.open(sealed.span, key: key.span, nonce: nonce.span, associatedData: data.span)
            #expect(Secrets.bytes(ofOptional: spoilt) == nil)
        }
    }

    @Test("another key opens nothing")
    func otherKey() throws {
        let gcm = try AEAD()
        let nonce = [UInt8](repeating: 0, count: 12)
        let one = [UInt8](repeating: 1, count: 32)
        let other = [UInt8](repeating: 2, count: 32)
        let text = Array("secret".utf8)
        let sealed = try gcm.seal(text.span, key: one.span, nonce: nonce.span, associatedData: text.span)
        let opened = try gcm.open(sealed.span, key: other.span, nonce: nonce.span, associatedData: text.span)
        #expect(Secrets.bytes(ofOptional: opened) == nil)
    }

    @Test(
        "what does not open leaves nothing in the caller's memory", arguments: [0, 1, 15, 16, 40])
    func wiped(_ count: Int) throws {
        let gcm = try AEAD()
        let (key, nonce) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 0, count: 12))
        let sealed = [UInt8](repeating: 5, count: count)
        // Input that is shorter than a tag has no plaintext length.
        var memory = [UInt8](repeating: 0xAA, count: count < 16 ? 24 : count - 16)
        var span = memory.mutableSpan
        let opened = try gcm.open(
            sealed.span, key: key.span, nonce: nonce.span, associatedData: nonce.span, into: &span)
        #expect(!opened)
        #expect(memory.allSatisfy { $0 == 0 })
    }
}
