import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct PBKDF2Tests {
    struct Example: Sendable, CustomTestStringConvertible {
        let function: HashFunction
        let passphrase: String
        let salt: String
        let rounds: Int
        let output: String

        var testDescription: String { "\(function.name), \(rounds) rounds" }
    }

    static let examples = [
        // RFC 6070.
        Example(
            function: .sha1, passphrase: "password", salt: "salt", rounds: 4096,
            output: "4b007901b765489abead49d926f721d065a429c1"),
        // RFC 7914, section 11.
        Example(
            function: .sha256, passphrase: "passwd", salt: "salt", rounds: 1,
            output: "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"),
        Example(
            function: .sha256, passphrase: "Password", salt: "NaCl", rounds: 80_000,
            output: "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
                + "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"),
        // Computed with Python's hashlib.
        Example(
            function: .sha512, passphrase: "password", salt: "salt", rounds: 1,
            output: "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"
                + "c02d470a285a0501bad999bfe943c08f050235d7d68b1da55e63f73b60a57fce"),
        Example(
            function: .sha512, passphrase: "password", salt: "salt", rounds: 4096,
            output: "d197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5"
                + "143f30602641b3d55cd335988cb36b84376060ecd532e039b742a239434af2d5"),
    ]

    @Test("published examples come out", arguments: examples)
    func knownAnswer(_ example: Example) throws {
        let derived = try PBKDF2.derive(
            example.function, Array(example.passphrase.utf8).span, salt: Array(example.salt.utf8).span,
            rounds: example.rounds, count: example.output.utf8.count / 2)
        #expect(Hex.encode(Secrets.bytes(of: derived)) == example.output)
    }

    @Test("32 bytes are the default")
    func defaultLength() throws {
        let example = Self.examples[4]
        let derived = try PBKDF2.derive(
            example.function, Array(example.passphrase.utf8).span,
            salt: Array(example.salt.utf8).span, rounds: example.rounds)
        #expect(Hex.encode(Secrets.bytes(of: derived)) == example.output.prefix(64))
    }

    @Test("zero rounds fail")
    func noRounds() {
        let text = Array("text".utf8)
        Refusal.expect(.cryptographyFailed) {
            _ = try PBKDF2.derive(.sha512, text.span, salt: text.span, rounds: 0)
        }
    }
}
