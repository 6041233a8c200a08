import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct SIVVectorTests {
    private static let file = "vectors/wycheproof/aes_siv_cmac_test.json"

    struct Wycheproof: Decodable {
        let testGroups: [Group]

        struct Group: Decodable {
            let keySize: Int
            let tests: [Case]
        }

        struct Case: Decodable {
            let tcId: Int
            let key, aad, msg, ct, result: String
        }
    }

    /// Valid for RFC 5297, with an empty message: libcrypto 3.0 cannot do them.
    private static let empty = [296, 297, 298, 299, 300, 301]

    @Test(
        "Wycheproof: 33 messages seal and open, 108 do not open, 6 are empty and refused",
        .enabled(if: SharedData.has(file), "\(SharedData.missing)"))
    func wycheproof() throws {
        var ran = (valid: 0, invalid: 0)
        var refused: [Int] = []
        for group in try SharedData.json(Self.file, as: Wycheproof.self).testGroups where group.keySize == 512 {
            for test in group.tests {
                let cipher = try AES256SIV(key: Bytes.hex(test.key).span)
                let (data, sealed) = (Bytes.hex(test.aad), Bytes.hex(test.ct))
                let message = Bytes.hex(test.msg)
                let opened = try cipher.open(sealed.span, associatedData: data.span)
                switch (test.result, message.isEmpty) {
                case ("valid", false):
                    #expect(opened == message, "case \(test.tcId)")
                    let again = try cipher.seal(message.span, associatedData: data.span)
                    #expect(again == sealed, "case \(test.tcId)")
                    ran.valid += 1
                case ("valid", true):
                    #expect(opened == nil, "case \(test.tcId)")
                    Refusal.expect(.misuse) {
                        _ = try cipher.seal(message.span, associatedData: data.span)
                    }
                    refused.append(test.tcId)
                default:
                    #expect(opened == nil, "case \(test.tcId)")
                    ran.invalid += 1
                }
            }
        }
        #expect(ran == (33, 108))
        #expect(refused == Self.empty)
    }

    @Test(
        "Wycheproof: the keys of AES-128-SIV and AES-192-SIV are misuse",
        .enabled(if: SharedData.has(file), "\(SharedData.missing)"))
    func otherKeys() throws {
        var ran = 0
        for group in try SharedData.json(Self.file, as: Wycheproof.self).testGroups where group.keySize != 512 {
            for test in group.tests {
                Refusal.expect(.misuse) {
                    _ = try AES256SIV(key: Bytes.hex(test.key).span)
                }
                ran += 1
            }
        }
        #expect(ran == 295)
    }
}
