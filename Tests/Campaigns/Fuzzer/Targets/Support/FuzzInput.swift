import Lockstep

/// An input, consumed from its beginning. Bytes missing at its end count as zero.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A big-endian number of this many bytes.
    mutating func number(_ bytes: Int) -> UInt64 {
        (0..<bytes).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        let bytes = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return bytes
    }

    mutating func remainder() -> [UInt8] { bytes(rest.count) }

    /// The parts between bytes of this value.
    mutating func pieces(separatedBy separator: UInt8) -> [[UInt8]] {
        remainder().split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
    }

    /// A value for a column, as SQL: a tag, then its content. A text need not be UTF-8.
    mutating func value() -> SQL {
        switch byte() % 6 {
        case 0: return "NULL"
        case 1: return "\(Int64(byte()))"
        case 2: return "\(Int64(truncatingIfNeeded: number(8)))"
        case 3: return "\(Double(bitPattern: number(8)))"
        case 4:
            let text = bytes(Int(byte()))
            return "CAST(\(text) AS TEXT)"
        default: return "\(bytes(Int(byte())))"
        }
    }
}

/// Builds inputs for ``FuzzInput``.
enum FuzzValue {
    static let null: [UInt8] = [0]

    static func number(_ number: Int64) -> [UInt8] {
        (0...255).contains(number)
            ? [1, UInt8(number)] : [2] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    static func text(_ text: String) -> [UInt8] { [4, UInt8(text.utf8.count)] + Array(text.utf8) }

    static func blob(_ bytes: [UInt8]) -> [UInt8] { [5, UInt8(bytes.count)] + bytes }
}
