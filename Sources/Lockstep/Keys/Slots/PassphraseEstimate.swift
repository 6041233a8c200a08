/// How many guesses a passphrase stands, roughly: it is cut into pieces that a guesser would try, in the way that
/// takes the fewest guesses in all.
///
/// The figures are guesses themselves, on the low side: a word is one of 8000, as in lists of words to be
/// drawn with dice; the rest is counted by what could stand in its place. What is kept of the passphrase
/// meanwhile are these numbers.
struct PassphraseEstimate {
    /// 2^45 guesses at half a second are half a million years of a processor's.
    static let enough = 45.0
    /// Who has passed this many bytes without a pattern needs no advice.
    private static let longest = 128

    /// The cheapest way to a place in the passphrase.
    private struct Way {
        var bits = Double.infinity
        /// How many bytes are of which pattern.
        var covered: [PassphrasePattern.Kind: Int] = [:]
    }

    private let way: Way
    /// How many bytes were looked at.
    private let count: Int
    /// How many characters they are.
    private let characters: Int

    /// The binary logarithm of the guesses.
    var bits: Double { way.bits }

    init(_ passphrase: Span<UInt8>) {
        let bytes = passphrase.extracting(first: Self.longest)
        let single = Self.bitsOfOne(bytes)
        var ways = [Way](repeating: Way(), count: bytes.count + 1)
        ways[0].bits = 0
        var characters = 0
        for index in 0..<bytes.count {
            // What continues a character of several bytes is no character.
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

    /// What to say of it, if anything.
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

    /// What a character takes that follows no pattern: it is one of the kinds that occur.
    private static func bitsOfOne(_ bytes: Span<UInt8>) -> Double {
        var kinds: Set<Int> = []
        for index in 0..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): kinds.insert(26)
            // One more, or the letters' two kinds were one.
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): kinds.insert(27)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): kinds.insert(10)
            case ..<0x80: kinds.insert(33)
            default: kinds.insert(100)
            }
        }
        return Logarithm.base2(Double(max(kinds.reduce(0, +), 2)))
    }
}
