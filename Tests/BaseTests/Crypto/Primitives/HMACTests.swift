import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct HMACTests {
    /// RFC 4231, section 4. Case 5 truncates and is left to the callers that do.
    struct Example: Sendable, CustomTestStringConvertible {
        let number: Int
        let key: String
        let message: String
        let code: String

        var testDescription: String { "case \(number)" }
    }

    static let examples = [
        Example(
            number: 1, key: String(repeating: "0b", count: 20),
            message: "4869205468657265",
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Example(
            number: 2, key: "4a656665", message: "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Example(
            number: 3, key: String(repeating: "aa", count: 20), message: String(repeating: "dd", count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Example(
            number: 4, key: "0102030405060708090a0b0c0d0e0f10111213141516171819",
            message: String(repeating: "cd", count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Example(
            number: 6, key: String(repeating: "aa", count: 131),
            message: "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a"
                + "65204b6579202d2048617368204b6579204669727374",
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Example(
            number: 7, key: String(repeating: "aa", count: 131),
            message: "5468697320697320612074657374207573696e672061206c6172676572207468"
                + "616e20626c6f636b2d73697a65206b657920616e642061206c61726765722074"
                + "68616e20626c6f636b2d73697a6520646174612e20546865206b6579206e6565"
                + "647320746f20626520686173686564206265666f7265206265696e6720757365"
                + "642062792074686520484d414320616c676f726974686d2e",
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    @Test("RFC 4231's examples come out with SHA-256", arguments: examples)
    func knownAnswer(_ example: Example) throws {
        let code = try HMAC.code(.sha256, key: Bytes.hex(example.key).span, message: Bytes.hex(example.message).span)
        #expect(Hex.encode(code) == example.code)
    }

    @Test("RFC 4231's second case comes out with SHA-512, RFC 2202's with SHA-1") func otherFunctions() throws {
        let key = Array("Jefe".utf8)
        let message = Array("what do ya want for nothing?".utf8)
        let long = try HMAC.code(.sha512, key: key.span, message: message.span)
        #expect(
            Hex.encode(long)
                == "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737")
        let old = try HMAC.code(.sha1, key: key.span, message: message.span)
        #expect(Hex.encode(old) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    }

    @Test("an empty key is a key, not the one before")
    func emptyKey() throws {
        let nothing: [UInt8] = []
        let code = try HMAC.code(.sha256, key: nothing.span, message: nothing.span)
        #expect(
            Hex.encode(code)
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("one value serves message after message, in pieces or whole")
    func reuse() throws {
        let example = Self.examples[1]
        let message = Bytes.hex(example.message)
        let mac = try HMAC(.sha256, key: Bytes.hex(example.key).span)
        for cut in 0...message.count {
            try mac.update(message.span.extracting(first: cut))
            try mac.update(message.span.extracting(cut...))
            #expect(Hex.encode(try mac.finish()) == example.code, "cut at \(cut)")
        }
    }

    @Test("a code returned as a key equals the code returned as bytes")
    func secretCode() throws {
        let example = Self.examples[0]
        let mac = try HMAC(.sha256, key: Bytes.hex(example.key).span)
        try mac.update(Bytes.hex(example.message).span)
        #expect(Hex.encode(Secrets.bytes(of: try mac.finishSecret())) == example.code)
    }
}
