/// Texts that break what was not made with care: for every field that takes one.
public enum NastyTexts {
    /// Short ones.
    public static let short = [
        "O'Brien's \"quoted\" `ticks` \\ backslash", "'; DROP TABLE records; --", "%_*?[a-z]",
        "NUL\0inside", "\0", "e\u{301}\u{323}\u{300} n\u{303}", "é", "👩‍👩‍👧‍👦🇩🇪🏴󠁧󠁢󠁥󠁮󠁧󠁿 ok",
        "שלום עולם \u{202E}abc\u{202C}", "line\nline\r\nline\ttab", " leading and trailing ",
        "\u{FEFF}mark first", "\u{FFFD}\u{10FFFF}\u{E000}", "NULL", "1e5", "../../etc/passwd",
        "a\u{0}b' OR 1=1 --", "七人の侍", "\u{1B}[2J",
    ]

    /// 10 MB in one piece.
    public static let long = String(repeating: "0123456789abcde ", count: 655_360)
}

/// Random numbers that a seed gives again (SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
public struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// Those of a seed.
    public init(seed: UInt64) { state = seed }

    /// The next one.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }
}
