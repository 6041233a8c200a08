import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("What SQLCipher calls for each page, against Wycheproof")
struct PageVectorTests {
    private static let cipherFile = "vectors/wycheproof/aes_cbc_pkcs5_test.json"
    private static let sha256File = "vectors/wycheproof/hmac_sha256_test.json"
    private static let sha512File = "vectors/wycheproof/hmac_sha512_test.json"

    struct CipherVectors: Decodable {
        let testGroups: [Group]

        struct Group: Decodable {
            let keySize: Int
            let tests: [Case]
        }

        struct Case: Decodable {
            let tcId: Int
            let key, iv, msg, ct, result: String
        }
    }

    private func apply(
        _ cipher: inout PageCipher, encrypting: Bool, _ key: [UInt8], _ vector: [UInt8], _ input: [UInt8]
    ) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: input.count)
        let done = cipher.apply(
            encrypting: encrypting, key: key, vector: vector, input, count: Int32(input.count), into: &output)
        return done ? output : nil
    }

    /// Pages have no padding: the test adds the padding of a valid case, and other padding shows.
    @Test(
        "24 messages match in both directions, and 48 are not the padded ones",
        .enabled(if: SharedData.has(cipherFile), "\(SharedData.missing)"))
    func cipher() throws {
        var cipher = try PageCipher()
        var ran = (valid: 0, invalid: 0)
        let groups = try SharedData.json(Self.cipherFile, as: CipherVectors.self).testGroups
        for test in groups.filter({ $0.keySize == 256 }).flatMap(\.tests) {
            let (key, vector, sealed) = (Bytes.hex(test.key), Bytes.hex(test.iv), Bytes.hex(test.ct))
            let message = Bytes.hex(test.msg)
            let rest = 16 - message.count % 16
            let padded = message + [UInt8](repeating: UInt8(rest), count: rest)
            let opened = apply(&cipher, encrypting: false, key, vector, sealed)
            if test.result == "valid" {
                #expect(opened == padded, "case \(test.tcId)")
                let plain = try AES256CBC.decrypt(sealed.span, key: key.span, initialisationVector: vector.span)
                #expect(plain == padded, "case \(test.tcId)")
                let again = apply(&cipher, encrypting: true, key, vector, padded)
                #expect(again == sealed, "case \(test.tcId)")
                ran.valid += 1
            } else {
                #expect(opened != padded, "case \(test.tcId)")
                #expect((opened == nil) == sealed.isEmpty, "case \(test.tcId)")
                ran.invalid += 1
            }
        }
        #expect(ran == (24, 48))
    }

    private func codes(
        _ file: String, _ function: HashFunction
    ) throws -> (valid: Int, invalid: Int) {
        var mac = try PageMAC()
        var ran = (valid: 0, invalid: 0)
        for group in try SharedData.json(file, as: HMACVectorTests.Wycheproof.self).testGroups {
            for test in group.tests where test.key.utf8.count == 2 * CachedKey.length {
                let (key, message) = (Bytes.hex(test.key), Bytes.hex(test.msg))
                var code = [UInt8](repeating: 0, count: function.length)
                let done = message.withUnsafeBytes { message in
                    let half = message.count / 2
                    return mac.code(
                        function, key: key,
                        UnsafeRawBufferPointer(rebasing: message[..<half]),
                        UnsafeRawBufferPointer(rebasing: message[half...]), into: &code)
                }
                #expect(done, "case \(test.tcId)")
                let agrees = code.prefix(group.tagSize / 8) == Bytes.hex(test.tag)[...]
                #expect(agrees == (test.result == "valid"), "case \(test.tcId)")
                if agrees { ran.valid += 1 } else { ran.invalid += 1 }
            }
        }
        return ran
    }

    @Test(
        "54 codes with SHA-256 agree, and 108 spoilt ones do not",
        .enabled(if: SharedData.has(sha256File), "\(SharedData.missing)"))
    func codes256() throws { #expect(try codes(Self.sha256File, .sha256) == (54, 108)) }

    @Test(
        "6 codes with SHA-512 agree",
        .enabled(if: SharedData.has(sha512File), "\(SharedData.missing)"))
    func codes512() throws { #expect(try codes(Self.sha512File, .sha512) == (6, 0)) }
}
