// Rules: node-sqlite's migrate.ts, node-pg-migrate's sqlMigration.ts and tern's migrate.go. npm's `sqlite` divides a
// file at a line that begins with `-- down`, in any case; node-pg-migrate at `-- Up Migration` and `-- Down Migration`;
// tern at `---- create above / drop below ----`. What precedes the marker is the way up. A name begins with digits and
// ends in `.sql`; the order is by number. node-pg-migrate reads `.up.sql` and `.down.sql` too; those are other layouts
// here.

/// `001-name.sql`, with `-- Up` and `-- Down`, or `---- create above / drop below ----`, in the file.
enum MarkersLayout: LayoutRules {
    static let firstVersion: String? = "001"

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        for source in sources where source.folder == nil && source.isSQL {
            guard NumberedName.isLikely(source.name) else {
                contents.ignoredFiles.append(source.path)
                continue
            }
            guard let stem = source.stem, let name = LooseName(stem), name.direction == nil else {
                throw source.malformed(
                    "is not named like a migration with both ways in one file",
                    hint: "name it <number>-<name>.sql, such as 001-create_tables.sql")
            }
            contents.versions.append(try file(name, source))
        }
        return contents
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        let newest = set.files.last.flatMap { LooseName($0.fileName.dropLast(4)) }
        let separator = newest.map { $0.separator.isEmpty ? "-" : $0.separator } ?? "-"
        return [("\(version)\(separator)\(name).sql", "-- Up\n\n-- Down\n\n")]
    }

    /// Whether a comment of the file divides it in this layout, and statements follow it.
    static func divides(_ source: MigrationSource) -> Bool {
        let bytes = source.bytes
        guard let name = source.stem.flatMap({ LooseName($0) }), name.direction == nil,
            couldDivide(bytes)
        else { return false }
        var isDivided = false
        for token in SQLTokens(bytes, from: MigrationSource.markLength(bytes), source.engine.lexis)
        where token.kind != .space {
            if token.kind != .comment {
                if isDivided, bytes[token.range] != [UInt8(ascii: ";")] { return true }
            } else if isAlone(token, bytes), case .down = word(of: String(decoding: bytes[token.range], as: UTF8.self))
            {
                isDivided = true
            }
        }
        return false
    }

    /// Whether a line begins like a marker. Most files have none, and this check avoids parsing them.
    private static func couldDivide(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: UInt8(ascii: "\n")).contains { line in
            let text = line.drop { $0 == 0x20 || $0 == 0x09 }
            guard text.starts(with: "--".utf8) else { return false }
            let first = text.first { $0.isASCIILetter }.map { $0 | 0x20 }
            return first == UInt8(ascii: "d") || first == UInt8(ascii: "c")
        }
    }

    /// Whether only white space precedes a token on its line.
    private static func isAlone(_ token: SQLTokens.Token, _ bytes: [UInt8]) -> Bool {
        bytes[..<token.range.lowerBound].reversed().prefix { $0 != UInt8(ascii: "\n") }
            .allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }

    private static func file(
        _ name: LooseName, _ source: MigrationSource
    ) throws(LockstepError) -> MigrationFile {
        let sections = MarkedSections(
            upMarker: "-- Up", downMarker: "-- Down", beginsUp: true)
        let cutter = ScriptSplitter(
            source.origin, source.engine.lexis, readsForeignKeyPragmas: true
        ) { comment throws(LockstepError) in try marker(comment)
        }
        let scripts = try sections.scripts(of: source.text(), cutter)
        return try MigrationFile(name.version, name: name.name, source, up: scripts.up, down: scripts.down) { comment in
            switch word(of: comment) {
            case .up: "up"
            case .down: "down"
            default: nil
            }
        }
    }

    private enum Word {
        case up, down
        /// It begins like a marker, where a tool would divide the file, but says more.
        case unclear
    }

    private static func word(of comment: String) -> Word? {
        guard comment.begins(with: "--") else { return nil }
        let words = comment.asciiLowercased.split { !$0.isLetter && !$0.isNumber }
        switch words {
        case ["up"], ["up", "migration"]: return .up
        case ["down"], ["down", "migration"]: return .down
        case ["create", "above", "drop", "below"]: return .down
        default:
            // npm's sqlite asks for the one word, and for white space before it.
            let isDivided = comment.dropFirst(2).first?.isWhitespace == true
            return words.first == "down" && isDivided ? .unclear : nil
        }
    }

    private static func marker(
        _ comment: ScriptSplitter.Comment
    ) throws(LockstepError) -> ScriptSplitter.Marker? {
        if let owner = MarkerOwner(of: comment.text) {
            throw comment.malformed(
                "this is a marker of \(owner.name), but the file is read as markers",
                advice: owner.layout.map { "read the folder with \(.layout($0.rawValue))" }
                    ?? "put the way up and the way down into separate files")
        }
        guard let word = word(of: String(comment.text)), comment.lead != .something else {
            return nil
        }
        switch word {
        case .up: return .up(inTransaction: true)
        case .down: return .down(inTransaction: true)
        case .unclear:
            throw comment.malformed(
                "“\(comment.content)” divides the file for npm's sqlite, but says more than that",
                hint: "write the marker as `-- Down` alone, or begin the comment with another word")
        }
    }
}
