import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct DerivationVectorTests {
    private static let hkdfSHA256File = "vectors/wycheproof/hkdf_sha256_test.json"
    private static let hkdfSHA512File = "vectors/wycheproof/hkdf_sha512_test.json"
    private static let hkdfSHA1File = "vectors/wycheproof/hkdf_sha1_test.json"
    private static let pbkdf2SHA1File = "vectors/wycheproof/pbkdf2_hmacsha1_test.json"
    private static let pbkdf2SHA256File = "vectors/wycheproof/pbkdf2_hmacsha256_test.json"
    private static let pbkdf2SHA512File = "vectors/wycheproof/pbkdf2_hmacsha512_test.json"

    struct HKDFVectors: Decodable {
        let testGroups: [Group]

        struct Group: Decodable { let tests: [Case] }

        struct Case: Decodable {
            let tcId, size: Int
            let ikm, salt, info, okm, result: String
        }
    }

    private func hkdf(
        _ file: String, _ function: HashFunction
    ) throws -> (valid: Int, invalid: Int) {
        var ran = (valid: 0, invalid: 0)
        for test in try SharedData.json(file, as: HKDFVectors.self).testGroups.flatMap(\.tests) {
            let (key, salt, info) = (Bytes.hex(test.ikm), Bytes.hex(test.salt), Bytes.hex(test.info))
            if test.result == "valid" {
                let derived = try HKDF.derive(
                    key.span, salt: salt.span, info: info.span, count: test.size, with: function)
                #expect(Hex.encode(Secrets.bytes(of: derived)) == test.okm, "case \(test.tcId)")
                ran.valid += 1
            } else {
                Refusal.expect(.misuse) {
                    _ = try HKDF.derive(
                        key.span, salt: salt.span, info: info.span, count: test.size,
                        with: function)
                }
                ran.invalid += 1
            }
        }
        return ran
    }

    @Test(
        "Wycheproof: 83 outputs of HKDF with SHA-256 come out, three over-long ones are refused",
        .enabled(if: SharedData.has(hkdfSHA256File), "\(SharedData.missing)"))
    func hkdfSHA256() throws {
        #expect(try hkdf(Self.hkdfSHA256File, .sha256) == (83, 3))
    }

    @Test(
        "Wycheproof: 80 outputs of HKDF with SHA-512 come out, three over-long ones are refused",
        .enabled(if: SharedData.has(hkdfSHA512File), "\(SharedData.missing)"))
    func hkdfSHA512() throws {
        #expect(try hkdf(Self.hkdfSHA512File, .sha512) == (80, 3))
    }

    @Test(
        "Wycheproof: 84 outputs of HKDF with SHA-1 come out, three over-long ones are refused",
        .enabled(if: SharedData.has(hkdfSHA1File), "\(SharedData.missing)"))
    func hkdfSHA1() throws {
        #expect(try hkdf(Self.hkdfSHA1File, .sha1) == (84, 3))
    }

    struct PBKDF2Vectors: Decodable {
        let testGroups: [Group]

        struct Group: Decodable { let tests: [Case] }

        struct Case: Decodable {
            let tcId, iterationCount, dkLen: Int
            let password, salt, dk, result: String
        }
    }

    private func pbkdf2(_ file: String, _ function: HashFunction) throws -> Int {
        let tests = try SharedData.json(file, as: PBKDF2Vectors.self).testGroups.flatMap(\.tests)
        for test in tests where test.result == "valid" {
            let derived = try PBKDF2.derive(
                function, Bytes.hex(test.password).span, salt: Bytes.hex(test.salt).span,
                rounds: test.iterationCount, count: test.dkLen)
            #expect(Hex.encode(Secrets.bytes(of: derived)) == test.dk, "case \(test.tcId)")
        }
        return tests.count { $0.result == "valid" }
    }

    @Test(
        "Wycheproof: 60 outputs of PBKDF2 with SHA-256 come out",
        .enabled(if: SharedData.has(pbkdf2SHA256File), "\(SharedData.missing)"))
    func pbkdf2SHA256() throws {
        #expect(try pbkdf2(Self.pbkdf2SHA256File, .sha256) == 60)
    }

    @Test(
        "Wycheproof: 58 outputs of PBKDF2 with SHA-512 come out",
        .enabled(if: SharedData.has(pbkdf2SHA512File), "\(SharedData.missing)"))
    func pbkdf2SHA512() throws {
        #expect(try pbkdf2(Self.pbkdf2SHA512File, .sha512) == 58)
    }

    @Test(
        "Wycheproof: 64 outputs of PBKDF2 with SHA-1 come out",
        .enabled(if: SharedData.has(pbkdf2SHA1File), "\(SharedData.missing)"))
    func pbkdf2SHA1() throws {
        #expect(try pbkdf2(Self.pbkdf2SHA1File, .sha1) == 64)
    }
}
