import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct HMACVectorTests {
    private static let sha256File = "vectors/wycheproof/hmac_sha256_test.json"
    private static let sha512File = "vectors/wycheproof/hmac_sha512_test.json"
    private static let sha1File = "vectors/wycheproof/hmac_sha1_test.json"
    private static let cavpFile = "vectors/cavp/hmac_sha256.json"

    struct Wycheproof: Decodable {
        let testGroups: [Group]

        struct Group: Decodable {
            let tagSize: Int
            let tests: [Case]
        }

        struct Case: Decodable {
            let tcId: Int
            let key, msg, tag, result: String
        }
    }

    /// Truncated tags are compared with the code's first bytes.
    private func run(_ file: String, _ function: HashFunction, _ invalid: Int = 108) throws {
        var ran = (valid: 0, invalid: 0)
        for group in try SharedData.json(file, as: Wycheproof.self).testGroups {
            for test in group.tests {
                let code = try HMAC.code(function, key: Bytes.hex(test.key).span, message: Bytes.hex(test.msg).span)
                let agrees = ConstantTime.equal(
                    code.span.extracting(first: group.tagSize / 8), Bytes.hex(test.tag).span)
                #expect(agrees == (test.result == "valid"), "case \(test.tcId)")
                if agrees { ran.valid += 1 } else { ran.invalid += 1 }
            }
        }
        #expect(ran == (66, invalid))
    }

    @Test(
        "Wycheproof: 66 codes with SHA-256 agree, 108 spoilt ones do not",
        .enabled(if: SharedData.has(sha256File), "\(SharedData.missing)"))
    func wycheproof256() throws {
        try run(Self.sha256File, .sha256)
    }

    @Test(
        "Wycheproof: 66 codes with SHA-512 agree, 108 spoilt ones do not",
        .enabled(if: SharedData.has(sha512File), "\(SharedData.missing)"))
    func wycheproof512() throws {
        try run(Self.sha512File, .sha512)
    }

    @Test(
        "Wycheproof: 66 codes with SHA-1 agree, 104 spoilt ones do not",
        .enabled(if: SharedData.has(sha1File), "\(SharedData.missing)"))
    func wycheproof1() throws {
        try run(Self.sha1File, .sha1, 104)
    }

    struct CAVP: Decodable {
        let tests: [Case]

        struct Case: Decodable {
            let key, msg, mac: String
            let tlen: Int
        }
    }

    @Test(
        "CAVP: 225 codes agree, truncated ones as the first bytes",
        .enabled(if: SharedData.has(cavpFile), "\(SharedData.missing)"))
    func cavp() throws {
        let tests = try SharedData.json(Self.cavpFile, as: CAVP.self).tests
        for (number, test) in tests.enumerated() {
            let code = try HMAC.code(.sha256, key: Bytes.hex(test.key).span, message: Bytes.hex(test.msg).span)
            #expect(Hex.encode(code.prefix(test.tlen)) == test.mac, "case \(number)")
        }
        #expect(tests.count == 225)
    }
}
