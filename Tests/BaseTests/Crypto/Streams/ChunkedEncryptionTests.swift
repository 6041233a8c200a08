import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct ChunkedEncryptionTests {
    /// Computed with Python's cryptography 48 from the specification's text; key and salt are
    /// ``ChunkedMessage``'s.
    struct Example: Sendable, CustomTestStringConvertible {
        let context: String
        let plaintext: String
        let commitment: String
        let chunk: String

        var testDescription: String { "\(plaintext.utf8.count) bytes" }
    }

    static let examples = [
        Example(
            context: "", plaintext: "", commitment: "c3e85ce0f72398b0116b509fc0959fe37713642695670dff847e2ae8493f183d",
            chunk: "e5729036f651cf9b55ddcfae225bd451"),
        Example(
            context: "which column, which row", plaintext: "ten bytes!",
            commitment: "753984e8a78b86ee05ccc3335f01ff913551ba6ae898b10d2f238f553bdda6b5",
            chunk: "25ca79fe9ff788c60396c27d41956f5ef09839f232f861b0259f"),
    ]

    @Test("messages of one chunk come out as computed elsewhere, and open", arguments: examples)
    func knownAnswer(_ example: Example) throws {
        let message = ChunkedMessage(context: Array(example.context.utf8))
        let plaintext = Array(example.plaintext.utf8)
        let sealed = try message.seal(plaintext)
        #expect(
            Hex.encode(sealed) == Hex.encode(message.salt) + example.commitment + example.chunk)
        #expect(try message.open(sealed) == plaintext)
    }

    @Test("a message of three chunks comes out as computed elsewhere")
    func threeChunks() throws {
        let message = ChunkedMessage(context: Array("long".utf8))
        let sealed = try message.seal((0..<2 * 16_384 + 3).map { UInt8($0 * 7 % 251) })
        #expect(Hex.encode(sealed[24..<56]) == "64728f306506462cc5167c03d87d0b575edbfccb3b43bbc5dcb949ffc180d8a0")
        #expect(Hex.encode(sealed.suffix(19)) == "e46880585d5d726bf06af7e8d4d79b15a49c49")
        let digest = try HashFunction.sha256.digest(sealed.span.extracting(56...))
        #expect(
            Hex.encode(digest)
                == "36d80b39445246804d24524e4333e80d376655ed125218d0c82d9b20e66e2145")
    }

    @Test(
        "all five bytes of a chunk's number go into its nonce",
        arguments: [
            (0xFF, "239ef45d79a70645bd9271732be6aa46c83da54f07"), (0x100, "b0993a40eb8be7dfad25969c89b3776717a0e94426"),
            (0x01_0203_0405, "2160143298de40934c4850904a8ad2dd909edc1fed"),
            (1 << 38 - 1, "a6c9efcd23dc9f23a84983a7c0a0ef074f31efa824"),
        ])
    func farChunks(_ number: Int, _ expected: String) throws {
        let names = ChunkedMessage(context: Array("far".utf8))
        var message = try names.begin()
        var chunk = Array("five ".utf8) + [UInt8](repeating: 0, count: 16)
        try message.seal(&chunk, number, isLast: true)
        #expect(Hex.encode(chunk) == expected)
        #expect(try message.open(chunk[...], number, isLast: true) == Array("five ".utf8))
    }

    static let borders = [0, 1, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 70_000]

    @Test(
        "messages at the borders of chunks open, as streams and by their last chunk",
        arguments: borders)
    func border(_ count: Int) throws {
        let message = ChunkedMessage()
        var source = Shake128()
        let plaintext = source.squeeze(count)
        let sealed = try message.seal(plaintext)
        #expect(sealed.count == 56 + count + (count / 16_384 + 1) * 16)
        let reading = try message.read(sealed)
        #expect(reading.plaintext == plaintext)
        #expect(reading.isWhole)
        #expect(reading.hasLastChunk)
    }

    @Test("any piece can be read from the chunks that hold it")
    func randomAccess() throws {
        let names = ChunkedMessage()
        var source = Shake128()
        let plaintext = source.squeeze(4 * 16_384 + 100)
        let sealed = try names.seal(plaintext)
        let layout = try #require(ChunkedLayout(encryptedLength: sealed.count))
        guard let message = try names.opening(sealed) else {
            Issue.record("the commitment does not fit")
            return
        }
        for piece in [0..<1, 16_383..<16_385, 40_000..<65_600, 65_535..<65_636, 65_636..<65_636] {
            let chunks = try layout.chunks(holding: piece)
            var read: [UInt8] = []
            for number in chunks.reversed() {
                let chunk = sealed[try layout.encryptedRange(ofChunk: number)]
                read = try #require(try message.open(chunk, number, isLast: number == layout.lastChunk)) + read
            }
            let start = piece.lowerBound - chunks.lowerBound * 16_384
            #expect(read.dropFirst(start).prefix(piece.count) == plaintext[piece])
        }
    }

    @Test("keys and salts of other lengths are misuse", arguments: [0, 16, 23, 25, 31, 33, 64])
    func inputLengths(_ count: Int) throws {
        let other = [UInt8](repeating: 1, count: count)
        let (right, context) = (ChunkedMessage(), Array("context".utf8))
        for (key, salt) in [(other, right.salt), (right.key, other)] {
            Refusal.expect(.misuse) {
                _ = try ChunkedEncryption(key: key.span, salt: salt.span, context: context.span)
            }
            Refusal.expect(.misuse) {
                _ = try ChunkedEncryption.opening(
                    key: key.span, salt: salt.span, context: context.span, commitment: right.key.span)
            }
        }
    }
}
