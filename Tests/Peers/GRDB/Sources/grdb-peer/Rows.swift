import Foundation

/// splitmix64
struct Generator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func draw() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -".utf8)

    mutating func text() -> String {
        let count = 16 + Int(draw() % 25)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var bits: UInt64 = 0
        for index in 0..<count {
            if index.isMultiple(of: 8) { bits = draw() }
            bytes.append(Self.alphabet[Int(bits >> (8 * UInt64(index % 8)) & 63)])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func blob() -> Data {
        var bytes: [UInt8] = []
        for _ in 0..<8 {
            let word = draw()
            for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * byte))) }
        }
        return Data(bytes)
    }
}

/// The rows of the table, in the form that a GRDB user would hold them: blobs are `Data`.
enum Rows {
    static func make<Record: Fields>(_ count: Int64) -> [Record] {
        (1...count).map { id in
            var generator = Generator(seed: UInt64(id))
            return Record(
                id: id, a: Int64(generator.draw() >> 56), b: Int64(generator.draw() >> 48),
                c: Int64(generator.draw() >> 33), d: Int64(bitPattern: generator.draw()),
                ratio: Double(generator.draw() >> 11) * 0x1p-53,
                first: generator.text(), second: generator.text(), bytes: generator.blob())
        }
    }

    static func keys(_ count: Int64, of rows: Int64) -> [Int64] {
        var generator = Generator(seed: 0x6C6F_636B_7374_6570)
        return (0..<count).map { _ in 1 + Int64(generator.draw() % UInt64(rows)) }
    }
}

/// FNV-1a of 64 bits over every field and byte.
struct RowHash {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    var hex: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    mutating func add(_ record: some Fields) {
        for number in [record.id, record.a, record.b, record.c, record.d] {
            add(UInt64(bitPattern: number))
        }
        add(record.ratio.bitPattern)
        for text in [record.first, record.second] {
            add(UInt64(text.utf8.count))
            for byte in text.utf8 { add(byte) }
        }
        add(UInt64(record.bytes.count))
        for byte in record.bytes { add(byte) }
    }

    private mutating func add(_ word: UInt64) {
        for byte in 0..<8 { add(UInt8(truncatingIfNeeded: word >> (8 * byte))) }
    }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
