import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct ScryptTests {
    /// RFC 7914, section 12, and two that were computed with Python's hashlib.
    struct Example: Sendable, CustomTestStringConvertible {
        let passphrase: String
        let salt: String
        let n: UInt64
        let r: Int
        let p: Int
        let output: String

        var testDescription: String { "N = \(n)" }
    }

    static let examples = [
        Example(
            passphrase: "", salt: "", n: 16, r: 1, p: 1,
            output: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
        Example(
            passphrase: "password", salt: "NaCl", n: 1024, r: 8, p: 16,
            output: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
        Example(
            passphrase: "pleaseletmein", salt: "SodiumChloride", n: 16_384, r: 8, p: 1,
            output: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"),
        // From here on libcrypto's own limit of 32 MiB would refuse.
        Example(
            passphrase: "pleaseletmein", salt: "SodiumChloride", n: 32_768, r: 8, p: 1,
            output: "f72cbc204bdcfc3ff5b115d8508aec1566ff0ef3f658388601a3933078ef7ac8"
                + "198154d9cdb167f8c1cbf22b25eb4934e2c8a98dd8e1a4cbf0c31d2f961a7f22"),
        Example(
            passphrase: "pleaseletmein", salt: "SodiumChloride", n: 131_072, r: 8, p: 1,
            output: "2f10fcda14532d6543334cd899776407ff0ae879c370372de5b4e39d4d2d21ed"),
    ]

    @Test(
        "published examples come out, beyond libcrypto's default memory too",
        arguments: examples)
    func knownAnswer(_ example: Example) throws {
        let derived = try Scrypt.derive(
            Array(example.passphrase.utf8).span, salt: Array(example.salt.utf8).span,
            n: example.n, r: example.r, p: example.p, count: example.output.utf8.count / 2)
        #expect(Hex.encode(Secrets.bytes(of: derived)) == example.output)
    }

    @Test("the standard cost is N = 2^17, r = 8, p = 1")
    func standardCost() throws {
        #expect(Scrypt.Cost.standard == Scrypt.Cost(logN: 17, r: 8, p: 1))
        let derived = try Scrypt.derive(
            Array("pleaseletmein".utf8).span, salt: Array("SodiumChloride".utf8).span, cost: .standard)
        #expect(Hex.encode(Secrets.bytes(of: derived)) == Self.examples[4].output)
    }

    @Test(
        "parameters that scrypt does not define fail, and do not yield zeros",
        arguments: [
            (UInt64(15), 8, 1), (1, 8, 1), (1024, 0, 1), (1024, 8, 0),
        ])
    func undefined(_ n: UInt64, _ r: Int, _ p: Int) {
        let text = Array("text".utf8)
        Refusal.expect(.cryptographyFailed) {
            _ = try Scrypt.derive(text.span, salt: text.span, n: n, r: r, p: p, count: 32)
        }
    }
}
