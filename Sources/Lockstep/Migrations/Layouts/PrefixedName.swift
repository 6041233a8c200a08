/// A file's name in Flyway's notation, which refinery shares: a letter, a version, two underscores, a
/// description.
struct PrefixedName {
    /// What the letter says.
    enum Prefix: Character {
        case version = "V"
        case undoOrLate = "U"
        case repeatable = "R"
        case baseline = "B"
    }

    let prefix: Prefix
    /// What stands before the two underscores.
    let version: Substring
    /// What stands behind them; empty if there are none.
    let description: Substring

    /// Takes apart a name without its ending.
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

    /// Whether a file is, by its name, meant for a tool that reads this notation.
    static func isLikely(_ name: String) -> Bool {
        let lower = name.asciiLowercased
        guard lower.hasSuffix(".sql"), lower.contains("__") else { return false }
        return isMeant(lower.dropLast(4))
    }

    /// Whether a name without its ending looks like a version, or like a repeatable, whatever its case
    /// and however many underscores it has.
    static func isMeant(_ stem: some StringProtocol) -> Bool {
        let lower = Array(stem.asciiLowercased.utf8)
        guard lower.count > 1 else { return false }
        switch lower[0] {
        case UInt8(ascii: "v"), UInt8(ascii: "u"), UInt8(ascii: "b"):
            return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(lower[1])
        case UInt8(ascii: "r"): return lower[1] == UInt8(ascii: "_")
        default: return false
        }
    }
}
