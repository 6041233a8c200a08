/// The tool to which a comment is a marker that parts a file.
enum MarkerOwner: Hashable {
    case layout(MigrationLayout)
    /// One whose layout this version does not read.
    case other(String)

    /// Nil for a comment that means nothing to any tool.
    init?(of comment: some StringProtocol) {
        guard comment.hasPrefix("--") else { return nil }
        if let content = Directive.content(of: String(comment)) {
            guard ["up", "down"].contains(content.asciiLowercased) else { return nil }
            self = .layout(.native)
            return
        }
        let content = Substring(comment.dropFirst(2)).trimmingSpace().asciiLowercased
        for (start, owner) in Self.starts where content.hasPrefix(start) {
            self = owner
            return
        }
        return nil
    }

    private static let starts: [(String, MarkerOwner)] = [
        ("migrate:", .layout(.dbmate)),
        ("+goose", .layout(.goose)),
        ("+migrate", .other("sql-migrate")),
        ("+micrate", .other("micrate")),
        ("rambler up", .other("rambler")),
        ("rambler down", .other("rambler")),
        ("!ups", .other("Play evolutions")),
        ("!downs", .other("Play evolutions")),
        ("//@undo", .other("MyBatis migrations")),
        ("// @undo", .other("MyBatis migrations")),
        ("liquibase formatted sql", .other("Liquibase")),
    ]

    /// The layout, if it is one that can be read.
    var layout: MigrationLayout? {
        guard case .layout(let layout) = self else { return nil }
        return layout
    }

    var name: String {
        switch self {
        case .layout(let layout): layout.rawValue
        case .other(let name): name
        }
    }

    /// The owners of a file's markers, with the line of the first of each.
    static func all(in source: MigrationSource) throws(LockstepError) -> [MarkerOwner: Int] {
        // Most files have none, and need not be taken apart to tell.
        guard couldHoldMarkers(source.bytes) else { return [:] }
        let bytes = Array(try source.text().utf8)
        var owners: [MarkerOwner: Int] = [:]
        for token in SQLTokens(bytes, from: 0) where token.kind == .comment {
            let comment = String(decoding: bytes[token.range], as: UTF8.self)
            guard let owner = MarkerOwner(of: comment), owners[owner] == nil else { continue }
            owners[owner] =
                bytes[..<token.range.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1
        }
        return owners
    }

    /// Whether a line begins with dashes, and what follows them could be a marker.
    private static func couldHoldMarkers(_ bytes: [UInt8]) -> Bool {
        bytes.indices.dropLast(2).contains { index in
            guard bytes[index] == UInt8(ascii: "-"), bytes[index + 1] == UInt8(ascii: "-") else {
                return false
            }
            let rest = bytes[(index + 2)...].prefix(64).prefix { $0 != UInt8(ascii: "\n") }
            let content = String(decoding: rest, as: UTF8.self)[...].trimmingSpace()
                .asciiLowercased
            return content.hasPrefix("lockstep")
                || starts.contains { content.hasPrefix($0.0) }
        }
    }
}
