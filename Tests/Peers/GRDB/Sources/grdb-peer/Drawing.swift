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

/// FNV-1a of 64 bits over every field and byte that was read.
struct RowHash {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    var hex: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }

    mutating func add(_ word: UInt64) {
        for byte in 0..<8 { add(UInt8(truncatingIfNeeded: word >> (8 * byte))) }
    }

    mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
