/// Two names with different bytes that Swift's `==` takes for equal: they differ by Unicode's normalisation alone.
public struct NamePair: Sendable, CustomStringConvertible {
    /// The one name.
    public let one: String
    /// The other name.
    public let other: String

    /// Two names that the caller knows to be a pair.
    public init(one: String, other: String) {
        self.one = one
        self.other = other
    }

    /// Both.
    public var both: [String] { [one, other] }

    /// The scalars of both.
    public var description: String {
        both.map { name in
            name.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
        }.joined(separator: " and ")
    }

    /// Two spellings of one character each.
    private static let spellings: [(String, String)] = [
        ("\u{E9}", "e\u{301}"), ("\u{F1}", "n\u{303}"), ("\u{FC}", "u\u{308}"),
        ("\u{C5}", "A\u{30A}"), ("\u{212B}", "\u{C5}"), ("\u{2126}", "\u{3A9}"),
        // One of them is ASCII.
        ("\u{212A}", "K"), ("\u{37E}", ";"),
        // Of equal length: the order of the marks differs, or the syllable is in parts.
        ("q\u{307}\u{323}", "q\u{323}\u{307}"), ("\u{1E69}", "s\u{323}\u{307}"),
        ("\u{AC00}", "\u{1100}\u{1161}"), ("\u{958}", "\u{915}\u{93C}"),
    ]

    /// A pair of each spelling, with nothing else in the names.
    public static let all = spellings.map { NamePair(one: $0.0, other: $0.1) }

    /// Any pair: some letters, of which at least one is spelled in two ways.
    public static func random(using dice: inout SplitMix64) -> NamePair {
        var (one, other) = ("", "")
        for place in 0..<Int.random(in: 1...4, using: &dice) {
            let word = ["", "a", "Ta", "_x", "9", "caf", "\u{4E2D}", " "].randomElement(using: &dice) ?? ""
            let spelling = spellings.randomElement(using: &dice) ?? spellings[0]
            let isSplit = place == 0 || Bool.random(using: &dice)
            let isTurned = Bool.random(using: &dice)
            one += word + (isTurned && isSplit ? spelling.1 : spelling.0)
            other += word + (isTurned || !isSplit ? spelling.0 : spelling.1)
        }
        return NamePair(one: one, other: other)
    }

    /// Names of one length in characters that Swift takes for one, and that differ in their bytes.
    /// - Parameter count: At most 2187.
    public static func many(_ count: Int) -> [String] {
        let forms = ["\u{C5}", "\u{212B}", "A\u{30A}"]
        return (0..<min(count, 2187)).map { number in
            var rest = number
            return (0..<7).map { _ in
                defer { rest /= 3 }
                return forms[rest % 3]
            }.joined()
        }
    }
}
