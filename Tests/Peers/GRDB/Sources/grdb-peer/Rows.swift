import Foundation

extension Generator {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -".utf8)

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
}

/// The rows of the table, in the form that a GRDB user would hold them in: blobs are `Data`.
enum Rows {
    static func make<Record: Fields>(_ count: Int64) -> [Record] {
        (1...count).map { id in
            var generator = Generator(seed: UInt64(id))
            return Record(
                id: id, a: Int64(generator.draw() >> 56), b: Int64(generator.draw() >> 48),
                c: Int64(generator.draw() >> 33), d: Int64(bitPattern: generator.draw()),
                ratio: Double(generator.draw() >> 11) * 0x1p-53,
                first: generator.text(), second: generator.text(), bytes: Data(generator.bytes(64)))
        }
    }

    static func keys(_ count: Int64, of rows: Int64) -> [Int64] {
        var generator = Generator(seed: 0x6C6F_636B_7374_6570)
        return (0..<count).map { _ in 1 + Int64(generator.draw() % UInt64(rows)) }
    }
}

extension RowHash {
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
}
