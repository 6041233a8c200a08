import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct HKDFTests {
    /// RFC 5869, appendix A.
    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let key: String
        let salt: String
        let info: String
        let count: Int
        let output: String

        var testDescription: String { name }
    }

    static let examples = [
        Example(
            name: "A.1",
            key: String(repeating: "0b", count: 22),
            salt: "000102030405060708090a0b0c",
            info: "f0f1f2f3f4f5f6f7f8f9",
            count: 42,
            output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf" + "34007208d5b887185865"),
        Example(
            name: "A.2",
            key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
                + "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
                + "404142434445464748494a4b4c4d4e4f",
            salt: "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"
                + "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
                + "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
            info: "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
                + "d0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeef"
                + "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
            count: 82,
            output: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                + "cc30c58179ec3e87c14c01d5c1f3434f1d87"),
        Example(
            name: "A.3",
            key: String(repeating: "0b", count: 22),
            salt: "",
            info: "",
            count: 42,
            output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d" + "9d201395faa4b61a96c8"),
    ]

    @Test("RFC 5869's examples come out", arguments: examples)
    func knownAnswer(_ example: Example) throws {
        let derived = try HKDF.derive(
            Bytes.hex(example.key).span, salt: Bytes.hex(example.salt).span,
            info: Bytes.hex(example.info).span, count: example.count)
        #expect(Hex.encode(Secrets.bytes(of: derived)) == example.output)
    }

    @Test("every shorter output begins the longest one")
    func prefixes() throws {
        let key = Array("key".utf8)
        let longest = Secrets.bytes(of: try HKDF.derive(key.span, salt: key.span, info: key.span, count: 255 * 32))
        #expect(longest.count == 8160)
        for count in [0, 1, 31, 32, 33, 64, 65, 8159] {
            let derived = try HKDF.derive(key.span, salt: key.span, info: key.span, count: count)
            #expect(Secrets.bytes(of: derived) == Array(longest.prefix(count)))
        }
    }

    @Test("more than 255 blocks are misuse", arguments: [HashFunction.sha256, .sha512])
    func tooLong(_ function: HashFunction) throws {
        let key = Array("key".utf8)
        let limit = 255 * function.length
        let longest = try HKDF.derive(key.span, salt: key.span, info: key.span, count: limit, with: function)
        let count = longest.count
        #expect(count == limit)
        Refusal.expect(.misuse) {
            _ = try HKDF.derive(key.span, salt: key.span, info: key.span, count: limit + 1, with: function)
        }
    }
}
