// Swift's own comparisons of texts, `hasPrefix` and `hasSuffix` among them, take canonically equivalent texts for
// equal, and see characters: a combining mark after a separator hides it. These see bytes, as SQLite, PostgreSQL and
// file systems do.

extension StringProtocol {
    /// Whether both have the same bytes.
    package func hasSameBytes(as other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Whether the bytes begin with those of `beginning`.
    package func begins(with beginning: some StringProtocol) -> Bool {
        utf8.starts(with: beginning.utf8)
    }

    /// Whether the bytes end with those of `end`.
    package func ends(with end: some StringProtocol) -> Bool {
        utf8.count >= end.utf8.count && utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
    }

    /// What comes after `beginning`; nil if the text does not begin with its bytes.
    package func rest(after beginning: some StringProtocol) -> SubSequence? {
        guard begins(with: beginning) else { return nil }
        return self[utf8.index(startIndex, offsetBy: beginning.utf8.count)...]
    }

    /// What comes before `end`; nil if the text does not end with its bytes.
    package func rest(before end: some StringProtocol) -> SubSequence? {
        guard ends(with: end) else { return nil }
        return self[..<utf8.index(endIndex, offsetBy: -end.utf8.count)]
    }

    /// The pieces between all `separator`s, empty ones too.
    /// - Parameter maximum: After this many separators, the rest is one piece.
    package func pieces(
        between separator: Unicode.Scalar, atMost maximum: Int = .max
    ) -> [SubSequence] {
        var pieces: [SubSequence] = []
        var start = startIndex
        let scalars = unicodeScalars
        while pieces.count < maximum, let end = scalars[start...].firstIndex(of: separator) {
            pieces.append(self[start..<end])
            start = scalars.index(after: end)
        }
        return pieces + [self[start...]]
    }
}

extension String {
    /// The same for two whole texts, without a copy.
    package func hasSameBytes(as other: String) -> Bool { ExactText.areSame(self, other) }
}

extension Optional where Wrapped: StringProtocol {
    /// Whether both are nil, or have the same bytes.
    package func hasSameBytes(as other: Wrapped?) -> Bool {
        switch (self, other) {
        case (let one?, let other?): one.hasSameBytes(as: other)
        case (nil, nil): true
        default: false
        }
    }
}

extension Sequence where Element: StringProtocol {
    /// Whether one of the texts has these bytes.
    package func containsBytes(of text: some StringProtocol) -> Bool {
        contains { $0.hasSameBytes(as: text) }
    }

    /// The texts in the order of their bytes, as SQLite's collation BINARY and PostgreSQL's "C" sort.
    package func sortedByBytes() -> [Element] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether both have the same bytes, text by text.
    package func hasSameBytes(as other: some Sequence<Element>) -> Bool {
        elementsEqual(other) { $0.hasSameBytes(as: $1) }
    }
}

extension Sequence where Element == String {
    /// Whether one of the texts has these bytes.
    package func containsBytes(of text: String) -> Bool { contains { ExactText.areSame($0, text) } }

    /// Whether both have the same bytes, text by text.
    package func hasSameBytes(as other: some Sequence<String>) -> Bool {
        elementsEqual(other) { ExactText.areSame($0, $1) }
    }
}
