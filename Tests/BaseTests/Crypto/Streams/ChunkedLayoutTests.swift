import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct ChunkedLayoutTests {
    private static let full = 16_384
    private static let sealed = 16_400
    /// One byte less than 4 PiB.
    private static let longest = 1 << 52 - 1

    @Test(
        "the specification's lengths come out: 56 bytes and 16 for each chunk, the last one short")
    func lengths() throws {
        let expected = [
            (0, 1), (1, 1), (1024, 1), (Self.full - 1, 1), (Self.full, 2), (Self.full + 1, 2),
            (20 * 1024, 2), (2 * Self.full, 3), (Self.longest, 1 << 38),
        ]
        for (plaintext, chunks) in expected {
            let layout = try ChunkedLayout(plaintextLength: plaintext)
            #expect(layout.chunkCount == chunks)
            #expect(layout.lastChunk == chunks - 1)
            #expect(layout.encryptedLength == 56 + plaintext + 16 * chunks)
            #expect(ChunkedLayout(encryptedLength: layout.encryptedLength) == layout)
        }
    }

    @Test(
        "every length of three chunks gives its plaintext's length back, and no other length is accepted"
    )
    func everyLength() throws {
        var valid: [Int: Int] = [:]
        for plaintext in 0..<3 * Self.full {
            let layout = try ChunkedLayout(plaintextLength: plaintext)
            valid[layout.encryptedLength] = plaintext
        }
        for encrypted in -1...56 + 3 * Self.sealed {
            let layout = ChunkedLayout(encryptedLength: encrypted)
            guard layout?.plaintextLength == valid[encrypted] else {
                Issue.record("\(encrypted) bytes are taken for \(String(describing: layout))")
                return
            }
        }
    }

    @Test("lengths that are those of truncated messages are refused", arguments: 0..<4) func truncated(_ chunks: Int) {
        let border = 56 + chunks * Self.sealed
        for more in 0..<16 {
            #expect(ChunkedLayout(encryptedLength: border + more) == nil)
        }
        #expect(ChunkedLayout(encryptedLength: border + 16) != nil)
    }

    @Test("from 4 PiB on no message is possible")
    func limits() throws {
        for length in [Self.longest + 1, Int.max, -1, Int.min] {
            Refusal.expect(.misuse) { _ = try ChunkedLayout(plaintextLength: length) }
        }
        let longest = try ChunkedLayout(plaintextLength: Self.longest).encryptedLength
        for length in [longest + 1, longest + 17, Int.max, Int.min] {
            #expect(ChunkedLayout(encryptedLength: length) == nil)
        }
    }

    @Test(
        "the chunks' ranges are adjacent and cover the message",
        arguments: [0, 1, 16_383, 16_384, 16_385, 32_768, 50_000])
    func ranges(_ length: Int) throws {
        let layout = try ChunkedLayout(plaintextLength: length)
        var (plaintext, encrypted) = (0, 56)
        for number in 0..<layout.chunkCount {
            let piece = try layout.plaintextRange(ofChunk: number)
            let chunk = try layout.encryptedRange(ofChunk: number)
            #expect(piece.lowerBound == plaintext)
            #expect(chunk.lowerBound == encrypted)
            #expect(chunk.count == piece.count + 16)
            #expect((piece.count == Self.full) == (number != layout.lastChunk))
            (plaintext, encrypted) = (piece.upperBound, chunk.upperBound)
        }
        #expect(plaintext == length)
        #expect(encrypted == layout.encryptedLength)
        for number in [-1, layout.chunkCount, Int.min, Int.max] {
            Refusal.expect(.misuse) { _ = try layout.plaintextRange(ofChunk: number) }
            Refusal.expect(.misuse) { _ = try layout.encryptedRange(ofChunk: number) }
        }
    }

    @Test("a piece of the plaintext is within the chunks that are reported for it, and needs each")
    func pieces() throws {
        let layout = try ChunkedLayout(plaintextLength: 3 * Self.full + 5)
        let borders = (0...3).flatMap { border in (-2...2).map { border * Self.full + $0 } }
            .filter { 0...layout.plaintextLength ~= $0 }
        for start in borders {
            for end in borders where end >= start {
                let chunks = try layout.chunks(holding: start..<end)
                let needed = try (0..<layout.chunkCount).filter {
                    try !layout.plaintextRange(ofChunk: $0).clamped(to: start..<end).isEmpty
                }
                #expect(Array(chunks) == needed, "\(start)..<\(end)")
            }
        }
        for piece in [-1..<1, 0..<layout.plaintextLength + 1, Int.max..<Int.max] {
            Refusal.expect(.misuse) { _ = try layout.chunks(holding: piece) }
        }
    }
}
