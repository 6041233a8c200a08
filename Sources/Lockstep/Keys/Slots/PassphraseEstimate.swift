/// A rough estimate of the number of guesses that a passphrase withstands: it is split into pieces that an attacker
/// would try, in the way that takes the fewest guesses in total.
///
/// The numbers are low estimates: a word counts as one of 8000, as in Diceware word lists; the rest is counted by the
/// characters that could be in its place. Only these numbers are kept of the passphrase.
struct PassphraseEstimate {
    /// 2^45 guesses at half a second each take half a million years of processor time.
    static let enough = 45.0
    /// Only this many bytes are examined; a passphrase that has so many without a pattern is strong enough.
    private static let longest = 128

    /// The cheapest way to reach an offset in the passphrase.
    private struct Way {
        var bits = Double.infinity
        /// The number of bytes that each pattern covers.
        var covered: [PassphrasePattern.Kind: Int] = [:]
    }

    private let way: Way
    /// The number of bytes examined.
    private let count: Int
    /// The number of characters in them.
    private let characters: Int

    /// The binary logarithm of the number of guesses.
    var bits: Double { way.bits }

    init(_ passphrase: Span<UInt8>) {
        let bytes = passphrase.extracting(first: Self.longest)
        let single = Self.bitsOfOne(bytes)
        var ways = [Way](repeating: Way(), count: bytes.count + 1)
        ways[0].bits = 0
        var characters = 0
        for index in 0..<bytes.count {
            // A continuation byte in UTF-8 is not a character.
            let isContinuation = bytes[index] & 0xC0 == 0x80
            if !isContinuation { characters += 1 }
            let other = PassphrasePattern(
                kind: .other, length: 1, bits: isContinuation ? 0 : single)
            for piece in PassphrasePattern.all(in: bytes, at: index) + [other] {
                let end = index + piece.length
                let sum = ways[index].bits + piece.bits
                guard sum < ways[end].bits else { continue }
                ways[end] = ways[index]
                ways[end].bits = sum
                ways[end].covered[piece.kind, default: 0] += piece.length
            }
        }
        way = ways[bytes.count]
        count = bytes.count
        self.characters = characters
    }

    /// The weakness to report, if any.
    var weakness: PassphraseWeakness? {
        guard bits < Self.enough else { return nil }
        func isMost(_ kinds: PassphrasePattern.Kind...) -> Bool {
            kinds.reduce(0) { $0 + way.covered[$1, default: 0] } * 2 >= count
        }
        if way.covered[.common] != nil, isMost(.common, .repetition) { return .common }
        if isMost(.repetition) { return .repeats }
        if isMost(.sequence) { return .sequence }
        return characters < 12 ? .short : .fewWords
    }

    /// The bits of a character outside any pattern, from the kinds of characters that occur.
    private static func bitsOfOne(_ bytes: Span<UInt8>) -> Double {
        var kinds: Set<Int> = []
        for index in 0..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): kinds.insert(26)
            // 27 rather than 26, since the set would merge equal numbers.
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): kinds.insert(27)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): kinds.insert(10)
            case ..<0x80: kinds.insert(33)
            default: kinds.insert(100)
            }
        }
        return Logarithm.base2(Double(max(kinds.reduce(0, +), 2)))
    }
}
