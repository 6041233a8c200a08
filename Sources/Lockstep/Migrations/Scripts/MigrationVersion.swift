/// A version in natural order: `2` before `10`, `0.9` before `0.10`, timestamps by time.
///
/// Leading zeros and trailing zero parts make no difference: `0003` is version 3, and so is `3.0`.
public struct MigrationVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let parts: [UInt64]

    /// The version of a file that has none. It precedes all other versions, and its text is empty.
    public static let unversioned = MigrationVersion(parts: [])

    private init(parts: [UInt64]) { self.parts = parts }

    /// Parses parts of digits separated by dots. Nil for any other text.
    public init?(_ text: some StringProtocol) {
        var parts: [UInt64] = []
        for part in text.pieces(between: ".") {
            guard part.utf8.allSatisfy(\.isASCIIDigit), let number = UInt64(part)
            else { return nil }
            parts.append(number)
        }
        while parts.count > 1, parts.last == 0 { parts.removeLast() }
        self.parts = parts
    }

    /// The whole-number version `number`.
    public init(_ number: UInt64) { parts = [number] }

    /// The number, if the version has a single part.
    var number: UInt64? { parts.count == 1 ? parts[0] : nil }

    /// The first part; nil for ``unversioned``.
    var leading: UInt64? { parts.first }

    /// A part of this version, such as 3.1 of 3; it follows the version itself.
    func part(_ number: UInt64) -> MigrationVersion { MigrationVersion(parts: parts + [number]) }

    /// The canonical text, without leading zeros.
    public var description: String { parts.map(String.init).joined(separator: ".") }

    /// Natural order.
    public static func < (one: MigrationVersion, other: MigrationVersion) -> Bool {
        one.parts.lexicographicallyPrecedes(other.parts)
    }
}
