/// The tool for which a comment is a marker that divides a file.
enum MarkerOwner: Hashable {
    case layout(MigrationLayout)
    /// A tool whose layout this version does not read.
    case other(String)

    /// Nil for a comment that is not a marker of any tool.
    init?(of comment: some StringProtocol) {
        guard comment.begins(with: "--") else { return nil }
        if let content = Directive.content(of: String(comment)) {
            guard ["up", "down"].contains(content.asciiLowercased) else { return nil }
            self = .layout(.native)
            return
        }
        let content = Substring(comment.dropFirst(2)).trimmingSpace().asciiLowercased
        for (start, owner) in Self.starts where content.begins(with: start) {
            self = owner
            return
        }
        return nil
    }

    private static let starts: [(String, MarkerOwner)] =
        layouts + [
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

    private static let layouts: [(String, MarkerOwner)] = MigrationLayout.allCases.compactMap {
        layout in layout.rules.marker.map { ($0, .layout(layout)) }
    }

    /// The layout, if this version can read it.
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

    /// The owner of the first marker in a file.
    static func first(in source: MigrationSource) -> MarkerOwner? {
        let bytes = source.bytes
        // Most files of other layouts have no markers, and this check avoids parsing them.
        guard couldHoldMarkers(bytes) else { return nil }
        for token in SQLTokens(bytes, from: MigrationSource.markLength(bytes), source.engine.lexis)
        where token.kind == .comment && couldBeMarker(bytes[token.range]) {
            let comment = String(decoding: bytes[token.range], as: UTF8.self)
            if let owner = MarkerOwner(of: comment) { return owner }
        }
        return nil
    }

    /// Whether `--` occurs anywhere, followed by a possible marker.
    private static func couldHoldMarkers(_ bytes: [UInt8]) -> Bool {
        var isBehindDash = false
        for (index, byte) in bytes.enumerated() {
            let isDash = byte == UInt8(ascii: "-")
            if isDash, isBehindDash, couldBeMarker(bytes[(index - 1)...]) { return true }
            isBehindDash = isDash
        }
        return false
    }

    /// Checks the first character after `--`; a character outside ASCII can be Unicode white space.
    private static func couldBeMarker(_ comment: ArraySlice<UInt8>) -> Bool {
        guard let first = comment.dropFirst(2).first(where: { $0 != 0x20 && $0 != 0x09 }) else {
            return false
        }
        return first >= 0x80 || first < 0x20 || beginnings.contains(first)
    }

    /// The first letters of the markers, in lower and upper case.
    private static let beginnings: Set<UInt8> = {
        let letters = Set((["lockstep"] + starts.map(\.0)).compactMap(\.utf8.first))
        return letters.union(letters.map { $0 & ~0x20 })
    }()
}
