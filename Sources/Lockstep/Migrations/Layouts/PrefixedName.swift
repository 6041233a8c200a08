/// A file name in Flyway's notation, which refinery shares: a letter, a version, two underscores, a description.
struct PrefixedName {
    /// The meaning of the letter.
    enum Prefix: Character {
        case version = "V"
        case undoOrLate = "U"
        case repeatable = "R"
        case baseline = "B"
    }

    let prefix: Prefix
    /// The text between the letter and the two underscores.
    let version: Substring
    /// The text after the two underscores; empty if there are none.
    let description: Substring

    /// Parses a name without its extension.
    init?(_ stem: some StringProtocol) {
        let stem = Substring(stem)
        guard let first = stem.first, let prefix = Prefix(rawValue: first) else { return nil }
        self.prefix = prefix
        let rest = stem.dropFirst()
        let bytes = Array(rest.utf8)
        let underscore = UInt8(ascii: "_")
        let split = bytes.indices.dropLast().first {
            bytes[$0] == underscore && bytes[$0 + 1] == underscore
        }
        guard let split else {
            (version, description) = (rest, "")
            return
        }
        version = Substring(String(decoding: bytes[..<split], as: UTF8.self))
        description = Substring(String(decoding: bytes[(split + 2)...], as: UTF8.self))
    }

    /// Whether the name of a file suggests a tool that uses this notation.
    static func isLikely(_ name: String) -> Bool {
        let lower = name.asciiLowercased
        guard lower.ends(with: ".sql"), lower.contains("__") else { return false }
        return isMeant(lower.dropLast(4))
    }

    /// Whether a name without its extension looks like a version or a repeatable migration, in any case and with
    /// any number of underscores.
    static func isMeant(_ stem: some StringProtocol) -> Bool {
        let lower = Array(stem.asciiLowercased.utf8)
        guard lower.count > 1 else { return false }
        switch lower[0] {
        case UInt8(ascii: "v"), UInt8(ascii: "u"), UInt8(ascii: "b"):
            return lower[1].isASCIIDigit
        case UInt8(ascii: "r"): return lower[1] == UInt8(ascii: "_")
        default: return false
        }
    }
}
