import Lockstep

/// FNV-1a of 64 bits over every field and byte that was read.
struct RowHash: Sendable {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// 16 hexadecimal digits.
    var hex: String { value.padded(to: 16, radix: 16) }

    /// The hash of this many chunks, which repeat.
    static func ofChunks(_ chunks: [[UInt8]], _ count: Int) -> RowHash {
        var hash = RowHash()
        for index in 0..<count { hash.add(chunks[index % chunks.count]) }
        return hash
    }

    /// The rows of the table, from the first on.
    mutating func addRows(_ count: Int) {
        for id in 1...count { add(Rows.record(id)) }
    }

    mutating func add(_ record: Record) {
        for number in [record.id, record.a, record.b, record.c, record.d] {
            add(UInt64(bitPattern: number))
        }
        add(record.ratio.bitPattern)
        for text in [record.first, record.second] {
            add(UInt64(text.utf8.count))
            for byte in text.utf8 { add(byte) }
        }
        add(UInt64(record.bytes.count))
        add(record.bytes)
    }

    mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { add(byte) }
    }

    private mutating func add(_ word: UInt64) {
        for byte in 0..<8 { add(UInt8(truncatingIfNeeded: word >> (8 * byte))) }
    }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
