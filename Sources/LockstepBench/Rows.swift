/// A row of the table, as a program would represent it.
struct Record: Sendable, Hashable, Codable {
    let id: Int64
    let a: Int64
    let b: Int64
    let c: Int64
    let d: Int64
    let ratio: Double
    let first: String
    let second: String
    let bytes: [UInt8]
}

/// splitmix64: the source of all rows, keys and chunks, so that every peer has the same.
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

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -".utf8)

    /// 16 to 40 characters, eight from each draw.
    mutating func text() -> String {
        let count = 16 + Int(draw() % 25)
        var characters: [UInt8] = []
        characters.reserveCapacity(count)
        var bits: UInt64 = 0
        for index in 0..<count {
            if index.isMultiple(of: 8) { bits = draw() }
            characters.append(Self.alphabet[Int(bits >> (8 * UInt64(index % 8)) & 63)])
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Draws as bytes, the least significant first.
    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let word = draw()
            for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * byte))) }
        }
        return bytes
    }
}

/// The rows, keys and chunks, as defined in Tests/Peers/README.md.
enum Rows {
    static let chunkBytes = 65_536
    static let chunkKinds = 16

    /// The row with this identifier, from 1 on.
    static func record(_ id: Int) -> Record {
        var generator = Generator(seed: UInt64(id))
        return Record(
            id: Int64(id), a: Int64(generator.draw() >> 56), b: Int64(generator.draw() >> 48),
            c: Int64(generator.draw() >> 33), d: Int64(bitPattern: generator.draw()),
            ratio: Double(generator.draw() >> 11) * 0x1p-53,
            first: generator.text(), second: generator.text(), bytes: generator.bytes(64))
    }

    /// The rows from 1 on.
    static func records(_ count: Int) -> [Record] { (1...count).map(record) }

    /// Keys of existing rows, in the order in which they are requested.
    static func keys(_ count: Int, of rows: Int) -> [Int64] {
        var generator = Generator(seed: 0x6C6F_636B_7374_6570)
        return (0..<count).map { _ in 1 + Int64(generator.draw() % UInt64(rows)) }
    }

    /// The chunks that a blob consists of, repeated.
    static func chunks() -> [[UInt8]] {
        (0..<chunkKinds).map { kind in
            var generator = Generator(seed: UInt64(kind))
            return generator.bytes(chunkBytes)
        }
    }
}
