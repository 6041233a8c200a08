#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FixedWidthInteger {
    /// The bytes, most significant first.
    package var bigEndianBytes: [UInt8] {
        unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) }
    }

    /// The quotient rounded down, where `/` rounds towards zero.
    func floorDivided(by divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension BinaryInteger {
    /// The digits, after as many zeros as it takes to make this many.
    package func padded(to width: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
}

/// The only function that Lockstep uses from libm.
enum Logarithm {
    /// The logarithm to base 2.
    static func base2(_ value: Double) -> Double { log2(value) }
}

/// A number with its noun in singular or plural: `1 row`, `2 rows`.
package func counted(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
}

extension Duration {
    /// Whole microseconds; 0 for a negative duration, and at most about thirty thousand years.
    package var wholeMicroseconds: Int64 {
        let limit: Int64 = 1_000_000_000_000
        guard components.seconds < limit else { return limit * 1_000_000 }
        return max(components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000, 0)
    }
}
