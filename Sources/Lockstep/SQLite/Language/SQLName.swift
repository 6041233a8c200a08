/// A name in SQL, without quotes. Two names are equal if SQLite takes them for the same: ASCII letters in either case,
/// all other bytes exactly.
package struct SQLName: Sendable, Hashable, Comparable, ExpressibleByStringInterpolation {
    /// The name as written.
    package let spelling: String

    package init(_ spelling: String) { self.spelling = spelling }

    package init(stringLiteral spelling: String) { self.spelling = spelling }

    /// The name with ASCII letters in lower case.
    var folded: String { spelling.asciiLowercased }

    func hasPrefix(_ prefix: SQLName) -> Bool {
        Self.areEqual(spelling.utf8.prefix(prefix.spelling.utf8.count), prefix.spelling.utf8)
    }

    /// The rest of the name after `prefix`; nil if the name does not begin with it.
    func part(after prefix: SQLName) -> SQLName? {
        guard hasPrefix(prefix) else { return nil }
        let rest = spelling.utf8.dropFirst(prefix.spelling.utf8.count)
        return SQLName(String(decoding: rest, as: UTF8.self))
    }

    package static func == (one: SQLName, other: SQLName) -> Bool {
        areEqual(one.spelling.utf8, other.spelling.utf8)
    }

    private static func areEqual(
        _ one: some Collection<UInt8>, _ other: some Collection<UInt8>
    ) -> Bool {
        one.count == other.count
            && one.elementsEqual(other) {
                $0.asciiLowercased == $1.asciiLowercased
            }
    }

    package static func < (one: SQLName, other: SQLName) -> Bool {
        one.spelling.utf8.lexicographicallyPrecedes(other.spelling.utf8) {
            $0.asciiLowercased < $1.asciiLowercased
        }
    }

    package func hash(into hasher: inout Hasher) {
        for byte in spelling.utf8 { hasher.combine(byte.asciiLowercased) }
        // No byte of UTF-8: it separates the names in a sequence of names.
        hasher.combine(UInt8.max)
    }
}
