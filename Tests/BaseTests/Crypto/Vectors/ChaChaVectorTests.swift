import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("ChaCha20-Poly1305, as age's files use it")
struct ChaChaVectorTests {
    private static let file = "vectors/wycheproof/chacha20_poly1305_test.json"

    struct Wycheproof: Decodable {
        let testGroups: [Group]

        struct Group: Decodable {
            let ivSize: Int
            let tests: [Case]
        }

        struct Case: Decodable {
            let tcId: Int
            let key, iv, aad, msg, ct, tag, result: String
        }
    }

    @Test(
        "Wycheproof: 256 messages seal and open, 60 do not open, 9 have nonces of other lengths",
        .enabled(if: SharedData.has(file), "\(SharedData.missing)"))
    func wycheproof() throws {
        let aead = try AEAD(.chaCha20Poly1305)
        var ran = (valid: 0, invalid: 0, refused: 0)
        for group in try SharedData.json(Self.file, as: Wycheproof.self).testGroups {
            for test in group.tests {
                let (key, nonce) = (Bytes.hex(test.key), Bytes.hex(test.iv))
                let (data, sealed) = (Bytes.hex(test.aad), Bytes.hex(test.ct + test.tag))
                guard group.ivSize == 96 else {
                    Refusal.expect(.misuse) {
                        _ = try aead.open(sealed.span, key: key.span, nonce: nonce.span, associatedData: data.span)
                    }
                    ran.refused += 1
                    continue
                }
                let opened = Secrets.bytes(
                    ofOptional: try aead.open(sealed.span, key: key.span, nonce: nonce.span, associatedData: data.span))
                if test.result == "valid" {
                    let message = Bytes.hex(test.msg)
                    #expect(opened == message, "case \(test.tcId)")
                    let again = try aead.seal(message.span, key: key.span, nonce: nonce.span, associatedData: data.span)
                    #expect(again == sealed, "case \(test.tcId)")
                    ran.valid += 1
                } else {
                    #expect(opened == nil, "case \(test.tcId)")
                    ran.invalid += 1
                }
            }
        }
        #expect(ran == (256, 60, 9))
    }
}
