/// A file name that begins with its version: `0003_add_ratings`.
struct NumberedName {
    /// The digits and dots before the first underscore.
    let digits: Substring
    /// The text after the underscore.
    let name: Substring

    /// Parses a name without its extension. Nil without an underscore.
    init?(_ stem: some StringProtocol) {
        let stem = Substring(stem)
        guard let split = stem.unicodeScalars.firstIndex(of: "_") else { return nil }
        digits = stem[..<split]
        name = stem[stem.unicodeScalars.index(after: split)...]
    }

    /// Whether a name begins with a digit, like a version.
    static func isLikely(_ name: some StringProtocol) -> Bool {
        name.utf8.first.map(\.isASCIIDigit) == true
    }

    /// The version, if it is a whole number of at least `smallest` that fits into a signed 64-bit integer.
    func signedVersion(atLeast smallest: UInt64 = 0) -> MigrationVersion? {
        guard let version = MigrationVersion(digits), let number = version.number,
            number >= smallest, number <= UInt64(Int64.max)
        else { return nil }
        return version
    }

    /// The version of digits that a tool compares as text. As whole numbers, dates without a time would precede
    /// all timestamps, and timestamps with more digits than seconds need would follow all others. Dates therefore
    /// get a time of zero, and longer timestamps are split after the seconds.
    static func textualVersion(_ digits: some StringProtocol) -> MigrationVersion? {
        guard digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        let count = digits.utf8.count
        guard count >= dateLength else { return MigrationVersion(digits) }
        let seconds = digits.prefix(timeLength)
        let padded = seconds + String(repeating: "0", count: max(timeLength - count, 0))
        let rest = digits.dropFirst(timeLength)
        return MigrationVersion(rest.isEmpty ? padded : "\(padded).\(rest)")
    }

    /// `20240131`.
    private static let dateLength = 8
    /// `20240131120000`.
    private static let timeLength = 14
}
