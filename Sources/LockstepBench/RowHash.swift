/// FNV-1a of 64 bits over every field and byte that was read.
struct RowHash: Sendable {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// 16 hexadecimal digits.
    var hex: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
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

    /// The checksum of a run that read everything that it had to read. For workloads about migrations, cells and
    /// updates, which compute theirs themselves, it covers only the rows as they are.
    static func expected(_ workload: WorkloadName, rows: Int, operations: Int) -> String {
        var hash = RowHash()
        switch workload {
        case .fill, .insert, .scan: hash.addRows(rows)
        case .rebuild, .rotate, .verify: hash.addRows(rows)
        case .migrate, .rerun, .fleet, .fields, .sealing, .update: break
        case .open, .keyring, .passphrase, .point:
            for key in Rows.keys(operations, of: rows) { hash.add(Rows.record(Int(key))) }
        case .commit, .concurrent: for id in 1...operations { hash.add(Rows.record(id)) }
        case .blob:
            let chunks = Rows.chunks()
            for index in 0..<operations { hash.add(chunks[index % Rows.chunkKinds]) }
        }
        return hash.hex
    }
}

/// How many writers run at once.
enum Concurrency {
    static let writers = 8

    /// The number of operations, rounded so that they can be divided evenly.
    static func operations(_ wanted: Int) -> Int { max(wanted / writers, 1) * writers }
}
