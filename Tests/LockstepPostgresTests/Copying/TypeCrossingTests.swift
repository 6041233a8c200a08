import Lockstep
import TestSupport
import Testing

@testable import LockstepPostgres

@Suite("Values that cross between engines")
struct TypeCrossingTests {
    private static let all: [TypeCrossing] = [
        .int2, .int4, .int8, .float4, .float8, .bool, .text, .bytes, .uuid, .instant,
    ]

    /// From 1970 to 2000, in microseconds.
    private static let epoch: Int64 = 946_684_800_000_000

    private static func value(
        of crossing: TypeCrossing, _ random: inout SplitMix64
    ) -> Value {
        func integer<Small: FixedWidthInteger>(_: Small.Type) -> Value {
            let edges = [Small.min, .max, 0, 1, Small.min + 1]
            return .integer(
                Int64(
                    Bool.random(using: &random)
                        ? edges.randomElement(using: &random) ?? 0 : .random(in: .min ... .max, using: &random)))
        }
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in .random(in: 0...255, using: &random) }
        }
        if Int.random(in: 0..<8, using: &random) == 0 { return .null }
        switch crossing {
        case .int2: return integer(Int16.self)
        case .int4: return integer(Int32.self)
        case .int8: return integer(Int64.self)
        case .bool: return .integer(.random(in: 0...1, using: &random))
        case .float8:
            let number = Double(bitPattern: random.next())
            return .real(number.isNaN ? -.infinity : number)
        case .float4:
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            return .real(number.isNaN ? -0.0 : Double(number))
        case .text:
            let scalars = (0..<Int.random(in: 0..<40, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 1...0x2FFFF, using: &random))
            }
            return .text(String(String.UnicodeScalarView(scalars)))
        case .bytes: return .blob(bytes(.random(in: 0..<300, using: &random)))
        case .uuid: return .blob(bytes(16))
        case .instant:
            return .integer(
                .random(in: -211_813_488_000_000_000 ... .max - epoch, using: &random) + epoch)
        }
    }

    @Test("Random rows come back as they were, with the same digest")
    func roundTrips() throws {
        var random = SplitMix64(state: Torture.campaignSeed)
        let file = try Connection.inMemory()
        let statement = try file.prepare(SQL(verbatim: "SELECT \(Self.all.map { _ in "?" }.joined(separator: ", "))"))
        var sent: [[Value]] = []
        var stream = BinaryRows()
        stream.append(BinaryRows.header)
        var digest = try StoredValueDigest()
        for _ in 0..<(Torture.isLong ? 20_000 : 400) {
            let values = Self.all.map { Self.value(of: $0, &random) }
            sent.append(values)
            stream.beginRow(values.count)
            try statement.bind(values: values)
            try statement.forEach { row in
                for (place, crossing) in Self.all.enumerated() {
                    try crossing.append(row.stored(place), to: &stream)
                    try crossing.add(row.stored(place), to: &digest)
                }
            }
        }
        stream.append(BinaryRows.end)

        var reader = BinaryReader()
        var found: [[Value]] = []
        var other = try StoredValueDigest()
        var rest = stream.bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(.random(in: 1..<2000, using: &random)))
            rest = rest.dropFirst(piece.count)
            try reader.take(piece) { bytes, places in
                let values = try zip(places, Self.all).map { place, crossing in
                    try place.map { try crossing.value(bytes[$0]) } ?? .null
                }
                for value in values { try other.add(value) }
                found.append(values)
            }
        }
        try reader.requireEnd()
        #expect(found == sent)
        #expect(try other.finish() == digest.finish())
    }

    @Test("A value that the other engine would store as another one does not cross") func obstacles() throws {
        let file = try Connection.inMemory()
        for (crossing, value) in [
            (TypeCrossing.int2, Value.integer(32768)), (.int2, .integer(-32769)),
            (.int4, .integer(1 << 31)), (.int4, .real(1)), (.int8, .text("1")),
            (.int8, .blob([1])), (.bool, .integer(2)), (.bool, .integer(-1)),
            (.float4, .real(0.1)), (.float8, .integer(.max)), (.float8, .text("1")),
            (.text, .integer(1)), (.text, .blob([1])), (.text, .text("a\0b")),
            (.bytes, .text("a")), (.bytes, .integer(1)),
            (.uuid, .blob([UInt8](repeating: 0, count: 15))), (.uuid, .text("a")),
            (.instant, .integer(.min)), (.instant, .real(1)),
            (.instant, .integer(Self.epoch - 211_813_488_000_000_001)),
        ] {
            let statement = try file.prepare("SELECT ?")
            try statement.bind(values: [value])
            #expect(throws: TypeCrossing.Obstacle.self, "\(crossing) \(value)") {
                try statement.forEach { row in
                    var rows = BinaryRows()
                    try crossing.append(row.stored(0), to: &rows)
                }
            }
        }
    }

    @Test("Bytes that are no value of the type are refused, whatever their length")
    func malformed() throws {
        for crossing in Self.all {
            for length in 0..<20 {
                let bytes = [UInt8](repeating: 0xC3, count: length)[...]
                let isRight =
                    switch crossing {
                    case .int2: length == 2
                    case .int4, .float4: length == 4
                    case .int8, .float8: length == 8
                    case .uuid: length == 16
                    case .bytes: true
                    case .text: length == 0
                    case .bool: false
                    case .instant: false
                    }
                let isTaken = (try? crossing.value(bytes)) != nil
                #expect(isTaken == isRight, "\(crossing) \(length)")
            }
        }
        refused(.copyDiffers) { _ = try TypeCrossing.text.value([0x61, 0]) }
        refused(.copyDiffers) { _ = try TypeCrossing.bool.value([2]) }
        for (crossing, bytes) in [
            (TypeCrossing.float8, [0x7F, 0xF8, 0, 0, 0, 0, 0, 0]),
            (.float4, [0x7F, 0xC0, 0, 0]),
            (.instant, [0x7F] + [UInt8](repeating: 0xFF, count: 7)),
            (.instant, [0x80] + [UInt8](repeating: 0, count: 7)),
        ] {
            #expect(throws: TypeCrossing.Obstacle.self) { try crossing.value(bytes[...]) }
        }
    }
}
