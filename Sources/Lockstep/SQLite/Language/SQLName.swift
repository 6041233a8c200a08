/// A name in SQL, without quotes. Two names are equal if SQLite takes them for the same: ASCII letters in either case, all
/// other bytes exactly.
struct SQLName: Sendable, Hashable, Comparable, ExpressibleByStringLiteral {
    /// The name as written.
    let spelling: String

    init(_ spelling: String) { self.spelling = spelling }

    init(stringLiteral spelling: String) { self.spelling = spelling }

    /// The name with ASCII letters in lower case.
    var folded: String { spelling.asciiLowercased }

    static func == (one: SQLName, other: SQLName) -> Bool {
        one.spelling.utf8.elementsEqual(other.spelling.utf8) { fold($0) == fold($1) }
    }

    static func < (one: SQLName, other: SQLName) -> Bool {
        one.spelling.utf8.lexicographicallyPrecedes(other.spelling.utf8) { fold($0) < fold($1) }
    }

    func hash(into hasher: inout Hasher) {
        for byte in spelling.utf8 { hasher.combine(Self.fold(byte)) }
    }

    private static func fold(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
