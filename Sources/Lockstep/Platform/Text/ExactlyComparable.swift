/// What ``Exact`` compares: a text, an optional one, or several.
public protocol ExactlyComparable: Sendable {
    /// Whether both have the same bytes.
    static func areExactlyEqual(_ one: Self, _ other: Self) -> Bool

    /// Hashes the bytes.
    static func hash(exactly text: Self, into hasher: inout Hasher)
}

extension String: ExactlyComparable {
    /// Whether both have the same bytes.
    public static func areExactlyEqual(_ one: String, _ other: String) -> Bool {
        ExactText.areSame(one, other)
    }

    /// Hashes the bytes.
    public static func hash(exactly text: String, into hasher: inout Hasher) {
        ExactText(text).hash(into: &hasher)
    }
}

extension Substring: ExactlyComparable {
    /// Whether both have the same bytes.
    public static func areExactlyEqual(_ one: Substring, _ other: Substring) -> Bool {
        one.hasSameBytes(as: other)
    }

    /// Hashes the bytes.
    public static func hash(exactly text: Substring, into hasher: inout Hasher) {
        ExactText(text).hash(into: &hasher)
    }
}

extension Optional: ExactlyComparable where Wrapped: ExactlyComparable {
    /// Whether both are nil, or have the same bytes.
    public static func areExactlyEqual(_ one: Wrapped?, _ other: Wrapped?) -> Bool {
        switch (one, other) {
        case (let one?, let other?): Wrapped.areExactlyEqual(one, other)
        case (nil, nil): true
        default: false
        }
    }

    /// Hashes the bytes.
    public static func hash(exactly text: Wrapped?, into hasher: inout Hasher) {
        guard let text else { return hasher.combine(false) }
        hasher.combine(true)
        Wrapped.hash(exactly: text, into: &hasher)
    }
}

extension Array: ExactlyComparable where Element: ExactlyComparable {
    /// Whether all texts have the same bytes.
    public static func areExactlyEqual(_ one: [Element], _ other: [Element]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { Element.areExactlyEqual($0, $1) }
    }

    /// Hashes the bytes.
    public static func hash(exactly texts: [Element], into hasher: inout Hasher) {
        hasher.combine(texts.count)
        for text in texts { Element.hash(exactly: text, into: &hasher) }
    }
}
