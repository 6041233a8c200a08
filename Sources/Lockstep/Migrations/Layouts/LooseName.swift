/// A file name that begins with its version, in any of the forms that people use: `001-add_ratings.sql`,
/// `20240131120000.sql`, `V0001.Title.up.sql`, `001.do.title.sql`.
struct LooseName {
    /// The way that a file has, if its name says so.
    enum Direction {
        case up, down

        init?(_ word: some StringProtocol) {
            switch word.asciiLowercased {
            case "up", "do": self = .up
            case "down", "undo": self = .down
            default: return nil
            }
        }
    }

    let version: MigrationVersion
    /// The digits of the version, with the dots between them.
    let digits: Substring
    /// The text before the digits: nothing or a V.
    let prefix: Substring
    /// What separates the version from the rest, such as `-`; empty if there is no rest.
    let separator: Substring
    let name: Substring
    let direction: Direction?
    /// Whether the direction comes before the name.
    let isDirectionFirst: Bool

    /// Parses a name without `.sql`; nil for a name that does not begin with a version.
    init?(_ stem: some StringProtocol) {
        let stem = Substring(stem)
        prefix = stem.prefix { $0 == "V" || $0 == "v" }
        guard prefix.utf8.count <= 1 else { return nil }
        let digits = Self.digits(stem[prefix.endIndex...])
        guard !digits.isEmpty, let version = Self.version(digits) else { return nil }
        (self.digits, self.version) = (digits, version)
        let rest = stem[digits.endIndex...]
        let scalars = rest.unicodeScalars
        // No character, which a mark can be a part of.
        separator = Substring(scalars.prefix(1))
        guard rest.isEmpty || "-_. ".contains(separator) else { return nil }
        let text = Substring(scalars.dropFirst())
        if let dot = text.unicodeScalars.firstIndex(of: "."), let first = Direction(text[..<dot]) {
            (direction, isDirectionFirst) = (first, true)
            name = text[text.unicodeScalars.index(after: dot)...]
        } else if let dot = text.unicodeScalars.lastIndex(of: "."),
            let last = Direction(text[text.unicodeScalars.index(after: dot)...])
        {
            (direction, isDirectionFirst) = (last, false)
            name = text[..<dot]
        } else if separator == ".", let only = Direction(text) {
            (direction, isDirectionFirst) = (only, false)
            name = text.prefix(0)
        } else {
            (direction, isDirectionFirst) = (nil, false)
            name = text
        }
    }

    /// Digits, and dots between digits.
    private static func digits(_ text: Substring) -> Substring {
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            let isDot =
                text[end] == "." && end > text.startIndex && next < text.endIndex
                && text[next].isASCII && text[next].isNumber
            guard isDot || (text[end].isASCII && text[end].isNumber) else { break }
            end = next
        }
        return text[..<end]
    }

    private static func version(_ digits: Substring) -> MigrationVersion? {
        let count = digits.utf8.count
        // Seconds or milliseconds since 1970, until 2033, and not a date.
        let isEpoch = (count == 10 || count == 13) && digits.begins(with: "1")
        return digits.contains(".") || isEpoch ? MigrationVersion(digits) : NumberedName.textualVersion(digits)
    }
}
