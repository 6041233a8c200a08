/// SHAKE-128 (FIPS 202), with which the XAES-256-GCM specification makes its accumulated vectors.
struct Shake128 {
    private static let rate = 168
    private static let rotations = [
        1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
    ]
    private static let lanes = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1]
    private static let roundConstants = Self.makeRoundConstants()

    private var state = [UInt64](repeating: 0, count: 25)
    private var position = 0
    private var squeezing = false

    mutating func absorb(_ bytes: [UInt8]) {
        for byte in bytes {
            add(byte, at: position)
            position += 1
            if position == Self.rate { permute() }
        }
    }

    mutating func squeeze(_ count: Int) -> [UInt8] {
        if !squeezing {
            add(0x1F, at: position)
            add(0x80, at: Self.rate - 1)
            permute()
            squeezing = true
        }
        var output: [UInt8] = []
        output.reserveCapacity(count)
        for _ in 0..<count {
            if position == Self.rate { permute() }
            output.append(UInt8(truncatingIfNeeded: state[position / 8] >> (position % 8 * 8)))
            position += 1
        }
        return output
    }

    private mutating func add(_ byte: UInt8, at index: Int) {
        state[index / 8] ^= UInt64(byte) << (index % 8 * 8)
    }

    private mutating func permute() {
        position = 0
        var column = [UInt64](repeating: 0, count: 5)
        for constant in Self.roundConstants {
            for x in 0..<5 {
                column[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]
            }
            for x in 0..<5 {
                let next = column[(x + 1) % 5]
                let mix = column[(x + 4) % 5] ^ (next << 1 | next >> 63)
                for y in stride(from: x, to: 25, by: 5) { state[y] ^= mix }
            }
            var moving = state[1]
            for step in 0..<24 {
                let lane = Self.lanes[step]
                let kept = state[lane]
                state[lane] = moving << Self.rotations[step] | moving >> (64 - Self.rotations[step])
                moving = kept
            }
            for y in stride(from: 0, to: 25, by: 5) {
                for x in 0..<5 { column[x] = state[y + x] }
                for x in 0..<5 { state[y + x] ^= ~column[(x + 1) % 5] & column[(x + 2) % 5] }
            }
            state[0] ^= constant
        }
    }

    /// FIPS 202, algorithm 5: bits of a linear feedback shift register.
    private static func makeRoundConstants() -> [UInt64] {
        var register: UInt8 = 1
        return (0..<24).map { _ in
            var constant: UInt64 = 0
            for exponent in 0...6 {
                if register & 1 == 1 { constant |= 1 << (1 << UInt64(exponent) - 1) }
                register = register << 1 ^ (register >> 7) * 0x71
            }
            return constant
        }
    }
}
