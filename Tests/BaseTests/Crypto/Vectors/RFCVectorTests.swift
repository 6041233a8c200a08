import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct RFCVectorTests {
    private static let file = "vectors/rfc/rfc_known_answers.json"

    struct Vectors: Decodable {
        let rfc7914_scrypt: Section<Stretching>
        let rfc7914_pbkdf2_sha256: Section<Rounds>
        let rfc5869_hkdf_sha256: Section<Derivation>
        let rfc4231_hmac_sha256: Section<Code>

        struct Section<Case: Decodable>: Decodable { let tests: [Case] }

        struct Stretching: Decodable {
            let P, S, out: String
            let N: UInt64
            let r, p, dkLen: Int
        }

        struct Rounds: Decodable {
            let P, S, out: String
            let c, dkLen: Int
        }

        struct Derivation: Decodable {
            let ikm, salt, info, okm: String
            let L: Int
        }

        struct Code: Decodable { let key, msg, mac: String }
    }

    private static func vectors() throws -> Vectors {
        try SharedData.json(file, as: Vectors.self)
    }

    @Test(
        "RFC 7914: four outputs of scrypt come out, that of N = 2^20 among them",
        .enabled(if: SharedData.has(file), "\(SharedData.missing)"))
    func scrypt() throws {
        let tests = try Self.vectors().rfc7914_scrypt.tests
        for test in tests {
            let derived = try Scrypt.derive(
                Array(test.P.utf8).span, salt: Array(test.S.utf8).span, n: test.N, r: test.r,
                p: test.p, count: test.dkLen)
            #expect(Hex.encode(Secrets.bytes(of: derived)) == test.out, "N = \(test.N)")
        }
        #expect(tests.map(\.N) == [16, 1024, 16_384, 1_048_576])
    }

    @Test(
        "RFC 7914: two outputs of PBKDF2 come out",
        .enabled(if: SharedData.has(file), "\(SharedData.missing)"))
    func pbkdf2() throws {
        let tests = try Self.vectors().rfc7914_pbkdf2_sha256.tests
        for test in tests {
            let derived = try PBKDF2.derive(
                .sha256, Array(test.P.utf8).span, salt: Array(test.S.utf8).span, rounds: test.c, count: test.dkLen)
            #expect(Hex.encode(Secrets.bytes(of: derived)) == test.out)
        }
        #expect(tests.count == 2)
    }

    @Test(
        "RFC 5869: three outputs of HKDF come out",
        .enabled(if: SharedData.has(file), "\(SharedData.missing)"))
    func hkdf() throws {
        let tests = try Self.vectors().rfc5869_hkdf_sha256.tests
        for test in tests {
            let derived = try HKDF.derive(
                Bytes.hex(test.ikm).span, salt: Bytes.hex(test.salt).span,
                info: Bytes.hex(test.info).span, count: test.L)
            #expect(Hex.encode(Secrets.bytes(of: derived)) == test.okm)
        }
        #expect(tests.count == 3)
    }

    @Test(
        "RFC 4231: six codes come out",
        .enabled(if: SharedData.has(file), "\(SharedData.missing)"))
    func hmac() throws {
        let tests = try Self.vectors().rfc4231_hmac_sha256.tests
        for test in tests {
            let code = try HMAC.code(.sha256, key: Bytes.hex(test.key).span, message: Bytes.hex(test.msg).span)
            #expect(Hex.encode(code) == test.mac)
        }
        #expect(tests.count == 6)
    }
}
