#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A text that equals only a text with the same bytes, as for SQLite, PostgreSQL and most file systems. Swift's strings
/// are equal if they are canonically equivalent in Unicode: `é` as one character (U+00E9) and as two (`e` and U+0301).
/// So what comes from SQL, a file, a folder or a server and is looked up again is compared and kept as this.
public struct ExactText: Sendable, Hashable, Comparable, ExpressibleByStringLiteral {
    /// The text.
    public let text: String

    /// A text.
    public init(_ text: String) { self.text = text }

    /// A piece of a text.
    package init(_ piece: Substring) { self.init(String(piece)) }

    /// A text in the source.
    public init(stringLiteral text: String) { self.text = text }

    /// Whether the texts have the same bytes.
    public static func == (one: ExactText, other: ExactText) -> Bool {
        areSame(one.text, other.text)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(Self.hash(of: text)) }

    /// Whether the bytes of the first come before those of the second, as SQLite's collation BINARY and PostgreSQL's
    /// "C" sort.
    public static func < (one: ExactText, other: ExactText) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    /// Whether two texts have the same bytes.
    static func areSame(_ one: String, _ other: String) -> Bool {
        // Up to 15 bytes lie in the value itself, and copies of a longer text share its storage.
        if MemoryLayout<String>.stride == MemoryLayout<(UInt64, UInt64)>.stride {
            let (first, second) = unsafe (
                unsafeBitCast(one, to: (UInt64, UInt64).self), unsafeBitCast(other, to: (UInt64, UInt64).self)
            )
            if first == second { return true }
        }
        let (one, other) = (one.utf8, other.utf8)
        guard one.count == other.count else { return false }
        let same = unsafe one.withContiguousStorageIfAvailable { first in
            unsafe other.withContiguousStorageIfAvailable { second in
                guard let start = first.baseAddress,
                    let otherStart = second.baseAddress
                else {
                    return true
                }
                return unsafe start == otherStart || memcmp(start, otherStart, first.count) == 0
            }
        }
        return (same ?? nil) ?? one.elementsEqual(other)
    }

    /// Differs from process to process: nobody who chooses texts knows which have the same hash.
    private static let seed = UInt64.random(in: .min ... .max)

    /// A hash of the bytes. It takes eight at a time, and so a fraction of the time that `Hasher` takes.
    static func hash(of text: String) -> UInt64 {
        let hash: UInt64? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe Self.hash(UnsafeRawBufferPointer(bytes))
        }
        if let hash { return hash }
        return unsafe Array(text.utf8).withUnsafeBytes { unsafe Self.hash($0) }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed &+ UInt64(bytes.count)
        guard bytes.count >= 8 else {
            return unsafe mixed(hash ^ bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
        var place = 0
        while bytes.count - place > 8 {
            hash = unsafe mixed(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        // The last eight bytes, of which some can be mixed already.
        return unsafe mixed(hash ^ bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
    }

    private static func mixed(_ word: UInt64) -> UInt64 {
        // Any odd number with bits in no order spreads each bit over both halves of the product.
        let product = (word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}

extension ExactText: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}
