/// Texts that programs have failed on: each must be read back byte for byte.
enum AwkwardTexts {
    static let all: [String] = [
        "O'Brien", "''", "\"", "\"quoted\" \"\"", "Robert'); DROP TABLE User;--", "%s %d %n",
        "?1 :a @b $c",
        "", " ", "\t", "line\nline\r\nline\r", "a\0b", "\0", "👩‍👩‍👧‍👦🏳️‍🌈", "e\u{301}", "\u{E9}",
        "\u{202E}thgir\u{202C}", "עברית", "العربية ٣", "\u{FEFF}bom", "\\", "\\n\\,\\;", ";,:=",
        "a;b,c\\",
        "\u{7F}\u{1B}[2J", "\u{FFFD}\u{10FFFF}", "NULL", "1e5", "0x10", "🇩🇪", "ﬁ", "İıſß",
        "* OR NEAR(a b)", "`ticks` \\ backslash", "%_*?[a-z]", "n\u{303} e\u{301}\u{323}\u{300}",
        "../../etc/passwd", "a\u{0}b' OR 1=1 --", "七人の侍", " leading and trailing ",
    ]

    /// Those that contain any text at all.
    static let notEmpty = all.filter { !$0.isEmpty }

    /// 10 MB in a single text.
    static let long = String(repeating: "It's 10 megabytes; ", count: 10_000_000 / 19)

    /// Whether both have the same bytes: Swift's `==` compares canonical equivalents as equal.
    static func areSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }
}
