import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct GCMVectorTests {
    private static let wycheproofFile = "vectors/wycheproof/aes_gcm_test.json"
    private static let cavpFile = "vectors/cavp/gcm256_iv96_tag128.json"

    struct Wycheproof: Decodable {
        let testGroups: [Group]

        struct Group: Decodable {
            let keySize: Int
            let ivSize: Int
            let tagSize: Int
            let tests: [Case]
        }

        struct Case: Decodable {
            let tcId: Int
            let key, iv, aad, msg, ct, tag, result: String
        }
    }

    @Test(
        "Wycheproof: valid messages seal and open, invalid ones do not open",
        .enabled(if: SharedData.has(wycheproofFile), "\(SharedData.missing)"))
    func wycheproof() throws {
        let gcm = try AEAD()
        var ran = (valid: 0, invalid: 0)
        let groups = try SharedData.json(Self.wycheproofFile, as: Wycheproof.self).testGroups
        for group in groups where (group.keySize, group.ivSize, group.tagSize) == (256, 96, 128) {
            for test in group.tests {
                let (key, nonce) = (Bytes.hex(test.key), Bytes.hex(test.iv))
                let data = Bytes.hex(test.aad)
                let sealed = Bytes.hex(test.ct + test.tag)
                let opened = try gcm.open(sealed.span, key: key.span, nonce: nonce.span, associatedData: data.span)
                let plaintext = Secrets.bytes(ofOptional: opened)
                if test.result == "valid" {
                    let message = Bytes.hex(test.msg)
                    #expect(plaintext == message, "case \(test.tcId)")
                    let again = try gcm.seal(message.span, key: key.span, nonce: nonce.span, associatedData: data.span)
                    #expect(again == sealed, "case \(test.tcId)")
                    ran.valid += 1
                } else {
                    #expect(plaintext == nil, "case \(test.tcId)")
                    ran.invalid += 1
                }
            }
        }
        #expect(ran == (39, 27))
    }

    @Test(
        "Wycheproof: nonces of other lengths are misuse",
        .enabled(if: SharedData.has(wycheproofFile), "\(SharedData.missing)"))
    func otherNonces() throws {
        var ran = 0
        let groups = try SharedData.json(Self.wycheproofFile, as: Wycheproof.self).testGroups
        for group in groups where group.keySize != 256 || group.ivSize != 96 {
            for test in group.tests {
                let (key, nonce) = (Bytes.hex(test.key), Bytes.hex(test.iv))
                let (data, sealed) = (Bytes.hex(test.aad), Bytes.hex(test.ct + test.tag))
                Refusal.expect(.misuse) {
                    _ = try AEAD().open(sealed.span, key: key.span, nonce: nonce.span, associatedData: data.span)
                }
                ran += 1
            }
        }
        #expect(ran == 250)
    }

    struct CAVP: Decodable {
        let encrypt: [Case]
        let decrypt: [Case]

        struct Case: Decodable {
            let key, iv, aad, ct, tag: String
            let pt: String?
            let fail: Bool
        }
    }

    @Test(
        "CAVP: 375 messages seal to the published bytes",
        .enabled(if: SharedData.has(cavpFile), "\(SharedData.missing)"))
    func cavpSealing() throws {
        let gcm = try AEAD()
        let tests = try SharedData.json(Self.cavpFile, as: CAVP.self).encrypt
        for (number, test) in tests.enumerated() {
            let plaintext = Bytes.hex(try #require(test.pt))
            let sealed = try gcm.seal(
                plaintext.span, key: Bytes.hex(test.key).span,
                nonce: Bytes.hex(test.iv).span, associatedData: Bytes.hex(test.aad).span)
            #expect(Hex.encode(sealed) == test.ct + test.tag, "case \(number)")
        }
        #expect(tests.count == 375)
    }

    @Test(
        "CAVP: 184 messages open, 191 do not",
        .enabled(if: SharedData.has(cavpFile), "\(SharedData.missing)"))
    func cavpOpening() throws {
        let gcm = try AEAD()
        var ran = (opened: 0, refused: 0)
        for (number, test) in try SharedData.json(Self.cavpFile, as: CAVP.self).decrypt.enumerated() {
            let opened = try gcm.open(
                Bytes.hex(test.ct + test.tag).span, key: Bytes.hex(test.key).span,
                nonce: Bytes.hex(test.iv).span, associatedData: Bytes.hex(test.aad).span)
            let expected = test.fail ? nil : Bytes.hex(try #require(test.pt))
            #expect(Secrets.bytes(ofOptional: opened) == expected, "case \(number)")
            if test.fail { ran.refused += 1 } else { ran.opened += 1 }
        }
        #expect(ran == (184, 191))
    }
}
