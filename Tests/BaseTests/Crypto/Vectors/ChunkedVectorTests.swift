import TestSupport
import Testing
import ZlibStreams

@testable import EngineTestSupport
@testable import Lockstep

struct ChunkedVectorTests {
    private static let file =
        "vectors/wycheproof/c2sp_chunked_encryption_aes_256_gcm_test.json"

    struct Wycheproof: Decodable {
        let testGroups: [Group]

        struct Group: Decodable { let tests: [Case] }

        struct Case: Decodable {
            let tcId: Int
            let key, ctx, ct, result: String
            /// The length of the longest correct beginning, even if the whole is wrong.
            let msgLength: Int?
            let msgSha512: String?
            let flags: [String]
        }
    }

    @Test(
        "Wycheproof: 10 messages open and seal again, 25 fail where and as late as they should",
        .enabled(if: SharedData.has(file), "\(SharedData.missing)"))
    func wycheproof() throws {
        var ran = (valid: 0, invalid: 0, refused: 0)
        for test in try SharedData.json(Self.file, as: Wycheproof.self).testGroups
            .flatMap(\.tests)
        {
            let stream = try Inflate.zlib(Bytes.hex(test.ct))
            var message = ChunkedMessage(key: Bytes.hex(test.key), context: Bytes.hex(test.ctx))
            if test.flags.contains("InvalidKeySize") {
                Refusal.expect(.misuse) { _ = try message.read(stream) }
                ran.refused += 1
                continue
            }
            let reading = try message.read(stream)
            #expect(reading.isAccepted != test.flags.contains("HeaderFailure"), "case \(test.tcId)")
            #expect(reading.plaintext.count == test.msgLength ?? 0, "case \(test.tcId)")
            if let expected = test.msgSha512 {
                let digest = try HashFunction.sha512.digest(reading.plaintext.span)
                #expect(Hex.encode(digest) == expected, "case \(test.tcId)")
            }
            let isValid = test.result == "valid"
            #expect(reading.isWhole == isValid, "case \(test.tcId)")
            #expect(reading.hasLastChunk == (isValid || test.flags.contains("ValidFinalChunk")), "case \(test.tcId)")
            if isValid {
                message.salt = Array(stream.prefix(ChunkedEncryption.saltLength))
                #expect(try message.seal(reading.plaintext) == stream, "case \(test.tcId)")
                ran.valid += 1
            } else {
                ran.invalid += 1
            }
        }
        #expect(ran == (10, 23, 2))
    }
}
