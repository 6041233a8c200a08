import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct XAESTests {
    /// The two examples of C2SP's XAES-256-GCM.md.
    struct Example: Sendable, CustomTestStringConvertible {
        let key: UInt8
        let derived: String
        let associatedData: String
        let sealed: String

        var testDescription: String { "key \(key)" }
    }

    static let nonce = Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8)
    static let plaintext = Array("XAES-256-GCM".utf8)
    static let examples = [
        Example(
            key: 1, derived: "c8612c9ed53fe43e8e005b828a1631a0bbcb6ab2f46514ec4f439fcfd0fa969b",
            associatedData: "",
            sealed: "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
        Example(
            key: 3, derived: "e9c621d4cdd9b11b00a6427ad7e559aeedd66b3857646677748f8ca796cb3fd8",
            associatedData: "c2sp.org/XAES-256-GCM", sealed: "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
    ]

    @Test("the specification's examples come out, with the key they derive", arguments: examples)
    func knownAnswer(_ example: Example) throws {
        var cipher = try XAES256GCM(key: [UInt8](repeating: example.key, count: 32).span)
        let derived = try cipher.derivedKey(Self.nonce.span)
        #expect(Hex.encode(Secrets.bytes(of: derived)) == example.derived)

        let associatedData = Array(example.associatedData.utf8)
        let sealed = try cipher.seal(Self.plaintext.span, nonce: Self.nonce.span, associatedData: associatedData.span)
        #expect(Hex.encode(sealed) == example.sealed)
        let opened = try cipher.open(sealed.span, nonce: Self.nonce.span, associatedData: associatedData.span)
        #expect(Secrets.bytes(ofOptional: opened) == Self.plaintext)
    }

    @Test("SHAKE-128 of nothing is what FIPS 202 says")
    func shake() {
        var shake = Shake128()
        #expect(Hex.encode(shake.squeeze(16)) == "7f9c2ba4e88f827d616045507605853e")
        var fox = Shake128()
        fox.absorb(Array("The quick brown fox jumps over the lazy dog".utf8))
        #expect(Hex.encode(fox.squeeze(16)) == "f4202e3c5852f9182a0430fd8144f0a7")
    }

    @Test("10,000 random messages give the specification's accumulated hash, and open again")
    func accumulated() throws {
        var source = Shake128()
        var hash = Shake128()
        for iteration in 0..<10_000 {
            let key = source.squeeze(32)
            let nonce = source.squeeze(24)
            let plaintext = source.squeeze(Int(source.squeeze(1)[0]))
            let associatedData = source.squeeze(Int(source.squeeze(1)[0]))
            var cipher = try XAES256GCM(key: key.span)
            let sealed = try cipher.seal(plaintext.span, nonce: nonce.span, associatedData: associatedData.span)
            hash.absorb(sealed)
            let opened = try cipher.open(sealed.span, nonce: nonce.span, associatedData: associatedData.span)
            try #require(Secrets.bytes(ofOptional: opened) == plaintext, "message \(iteration)")
        }
        #expect(Hex.encode(hash.squeeze(32)) == "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939")
    }

    @Test("an empty message seals to its tag alone, and opens to nothing")
    func empty() throws {
        var cipher = try XAES256GCM(key: [UInt8](repeating: 1, count: 32).span)
        let nothing: [UInt8] = []
        let sealed = try cipher.seal(nothing.span, nonce: Self.nonce.span, associatedData: nothing.span)
        #expect(sealed.count == XAES256GCM.tagLength)
        let opened = try cipher.open(sealed.span, nonce: Self.nonce.span, associatedData: nothing.span)
        #expect(Secrets.bytes(ofOptional: opened) == [])
    }

    @Test("keys of other lengths are misuse", arguments: [0, 16, 24, 31, 33, 64])
    func keyLength(_ count: Int) {
        let key = [UInt8](repeating: 1, count: count)
        Refusal.expect(.misuse) { _ = try XAES256GCM(key: key.span) }
    }

    @Test("nonces of other lengths are misuse", arguments: [0, 12, 16, 23, 25, 32])
    func nonceLength(_ count: Int) throws {
        var cipher = try XAES256GCM(key: [UInt8](repeating: 1, count: 32).span)
        let nonce = [UInt8](repeating: 2, count: count)
        let message = [UInt8](repeating: 3, count: 40)
        Refusal.expect(.misuse) {
            _ = try cipher.seal(message.span, nonce: nonce.span, associatedData: message.span)
        }
        Refusal.expect(.misuse) {
            _ = try cipher.open(message.span, nonce: nonce.span, associatedData: message.span)
        }
        Refusal.expect(.misuse) { _ = try cipher.derivedKey(nonce.span) }
    }
}
