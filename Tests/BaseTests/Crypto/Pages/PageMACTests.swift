import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("HMAC over pages")
struct PageMACTests {
    /// The first 4,032 numbers i² + 1, and a number in little-endian: codes by Python's hmac.
    private static let page = (0..<4032).map { UInt8(truncatingIfNeeded: $0 * $0 + 1) }
    private static let number: [UInt8] = [4, 3, 2, 1]
    private static let keys = [
        "b3b5714b23d7c3e93d357ba42eb7b1aeb18e6bb22fe074430e7b14fcc2f408bc",
        "bed8d1f1d54fe2436502bf8f033033470f3cfe888451a553f582392b403a7fd7",
    ].map(Bytes.hex)

    struct Example: Sendable {
        let key: Int
        let function: HashFunction
        let code: String
    }

    private static let examples = [
        Example(key: 0, function: .sha1, code: "35388d5f9152286202f332ac080060da229342e3"),
        Example(key: 0, function: .sha256, code: "54ec0fdb2788ff96293d8cffb62d5ccdace05c878c923976efd53808d4d5d5a6"),
        Example(
            key: 0, function: .sha512,
            code: "e2b94ce700d75cb2ba082b8c998281b028aa5b211330f4d638869d01bcad3aa1"
                + "60b3620983f8fa0dff164be67536f3bfa88d4a284d959f8d1de9812a7a3a7910"),
        Example(key: 1, function: .sha1, code: "a315624497c277a43e5d428e19d439433485ca43"),
        Example(key: 1, function: .sha256, code: "586646d7839d5519bca6742f205236c2a54c9118e68312c68cc58b37413ea48c"),
        Example(
            key: 1, function: .sha512,
            code: "e59e0f5c72e9ab5facbe289631cf016efc2bec48de2f71a2715cca4c5dde261d"
                + "596626390a969646dad810a5010ec99cb2a1800146fcca0fba175112438fb9d4"),
    ]

    private func code(
        _ mac: inout PageMAC, _ function: HashFunction, key: [UInt8], _ first: [UInt8],
        _ second: [UInt8]
    ) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: function.length)
        let done = first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                mac.code(function, key: key, first, second, into: &code)
            }
        }
        return done ? code : nil
    }

    @Test("Codes are right whatever key and function went before")
    func knownAnswers() throws {
        var mac = try PageMAC()
        for one in Self.examples {
            for other in Self.examples {
                for example in [one, one, other] {
                    let code = code(&mac, example.function, key: Self.keys[example.key], Self.page, Self.number)
                    #expect(code.map(Hex.encode) == example.code)
                }
            }
        }
    }

    @Test("A message can come in one part")
    func onePart() throws {
        var mac = try PageMAC()
        let code = code(&mac, .sha512, key: Self.keys[0], Array(Self.page[..<17]), [])
        let expected =
            "3a1a8f6fad6384be539647e43204d742582f80c6fe71cb09e2a0404d5db75dd0"
            + "92eebe2157205cfe9b2f1fd482ef6d2cf897cdf8153e7dded190eaa5a3519683"
        #expect(code.map(Hex.encode) == expected)
    }

    @Test("It agrees with libcrypto's own HMAC on messages of any length")
    func lengths() throws {
        var mac = try PageMAC()
        let key = Self.keys[1]
        for function in [HashFunction.sha1, .sha256, .sha512] {
            for count in Array(0..<300) + [4031, 4032] {
                let message = Array(Self.page[..<count])
                let expected = try HMAC.code(function, key: key.span, message: message.span)
                let split = count / 3
                #expect(
                    code(
                        &mac, function, key: key, Array(message[..<split]), Array(message[split...])
                    )
                        == expected)
            }
        }
    }
}
