import Lockstep
import TestSupport
import Testing

@testable import LockstepPostgres

@Suite("The binary format of COPY")
struct BinaryRowsTests {
    private typealias Rows = [[[UInt8]?]]

    private static let rows: Rows = [[[1, 2, 3], nil, []], [], [[UInt8](repeating: 0xFF, count: 300)], [nil]]

    private static func stream(_ rows: Rows) -> [UInt8] {
        var written = BinaryRows()
        written.append(BinaryRows.header)
        for row in rows {
            written.beginRow(row.count)
            for value in row {
                if let value { written.append(value.span.bytes) } else { written.appendNull() }
            }
        }
        written.append(BinaryRows.end)
        return written.bytes
    }

    /// What comes of pieces, and whether they were a whole stream.
    private static func read(_ pieces: [[UInt8]]) throws -> (rows: Rows, isWhole: Bool) {
        var reader = BinaryReader()
        var rows: Rows = []
        do {
            for piece in pieces {
                try reader.take(piece) { bytes, places in
                    rows.append(places.map { $0.map { Array(bytes[$0]) } })
                }
            }
            try reader.requireEnd()
            return (rows, true)
        } catch let error as LockstepError {
            #expect(error.code == .copyDiffers)
            return (rows, false)
        }
    }

    @Test(
        "Rows come back whatever the pieces are, and a stream that is cut anywhere is no stream"
    )
    func piecesAndCuts() throws {
        let stream = Self.stream(Self.rows)
        for cut in stream.indices {
            let (start, rest) = (Array(stream[..<cut]), Array(stream[cut...]))
            let whole = try Self.read([start, rest])
            #expect(whole.rows == Self.rows && whole.isWhole)
            let short = try Self.read([start])
            #expect(!short.isWhole && Self.rows.starts(with: short.rows))
        }
        let bytewise = try Self.read(stream.map { [$0] })
        #expect(bytewise.rows == Self.rows && bytewise.isWhole)
        #expect(try Self.read([Self.stream([])]).isWhole)
    }

    @Test("Lengths beyond the largest value, rows after the end and other headers are refused")
    func malformed() throws {
        let header = BinaryRows.header
        for length: [UInt8] in [
            [0x40, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0],
            [0xFF, 0xFF, 0xFF, 0xFE],
        ] {
            var reader = BinaryReader()
            refused(.copyDiffers) {
                try reader.take(header + [0, 1] + length) { _, _ in }
            }
        }
        let stream = Self.stream(Self.rows)
        for more in [[0], Array(stream.dropFirst(header.count)), BinaryRows.end] {
            let found = try Self.read([stream + more])
            #expect(!found.isWhole && found.rows == Self.rows)
            let later = try Self.read([stream, more])
            #expect(!later.isWhole && later.rows == Self.rows)
        }
        for place in header.indices {
            var other = stream
            other[place] ^= 1
            let found = try Self.read([other])
            #expect(!found.isWhole && found.rows.isEmpty)
        }
    }

    @Test("Whatever else comes is rows or an error")
    func abuse() throws {
        var random = SplitMix64(state: Torture.campaignSeed)
        let stream = Self.stream(Self.rows)
        for _ in 0..<(Torture.isLong ? 100_000 : 2000) {
            var other = stream
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let place = Int.random(
                    in: BinaryRows.header.count..<other.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: other[place] = .random(in: 0...255, using: &random)
                case 1: other.remove(at: place)
                default: other.insert(.random(in: 0...255, using: &random), at: place)
                }
            }
            let cut = Int.random(in: 0...other.count, using: &random)
            let one = try Self.read([other])
            let two = try Self.read([Array(other[..<cut]), Array(other[cut...])])
            #expect(one == two)
            // Nothing else is the stream of the same rows.
            #expect(!one.isWhole || one.rows != Self.rows || other == stream)
        }
    }
}
