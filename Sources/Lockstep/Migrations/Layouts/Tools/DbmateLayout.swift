// Rules: pkg/dbmate/migration.go and db.go. A name begins with digits and ends in `.sql`; other files are
// ignored. The order is by name. A marker begins its line. Only comments can precede the first marker. Each up
// needs a down. Several pairs can follow one another; they run in file order, also on the way down.
// `transaction:false` after a marker is the only option.

/// `<digits>_<name>.sql`, with `-- migrate:up` and `-- migrate:down` in the file.
enum DbmateLayout: LayoutRules {
    static let marker: String? = "migrate:"

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        for source in sources where source.folder == nil && source.isSQL {
            guard NumberedName.isLikely(source.name) else {
                contents.ignoredFiles.append(source.path)
                continue
            }
            let digits = source.name.prefix { $0.isASCII && $0.isNumber }
            guard let stem = source.stem, let version = NumberedName.textualVersion(digits) else {
                throw source.malformed(
                    "is not named like a migration of dbmate",
                    hint: "name it like 20240131120000_create_tables.sql, with a 64-bit number")
            }
            let rest = stem.dropFirst(digits.count)
            contents.versions.append(
                try file(version, rest.rest(after: "_") ?? rest, source))
        }
        return contents
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        [("\(version)_\(name).sql", "-- migrate:up\n\n-- migrate:down\n\n")]
    }

    static func orderingText(of path: String) -> String? { path }

    private static func file(
        _ version: MigrationVersion, _ name: Substring, _ source: MigrationSource
    ) throws(LockstepError) -> MigrationFile {
        let sections = MarkedSections(
            upMarker: "-- migrate:up", downMarker: "-- migrate:down", mayRepeat: true, needsDown: true)
        let cutter = ScriptSplitter(
            source.origin, source.engine.lexis, readsForeignKeyPragmas: true
        ) { comment throws(LockstepError) in try marker(comment)
        }
        let scripts = try sections.scripts(of: source.text(), cutter)
        return try MigrationFile(version, name: name, source, up: scripts.up, down: scripts.down, markers: meaning)
    }

    /// The normalised text of a marker, independent of white space, for the checksum.
    private static func meaning(of comment: String) -> String? {
        let words = comment.rest(after: "--")?.split(whereSeparator: \.isWhitespace) ?? []
        guard words.first?.begins(with: "migrate:") == true else { return nil }
        return words.joined(separator: " ")
    }

    private static func marker(
        _ comment: ScriptSplitter.Comment
    ) throws(LockstepError) -> ScriptSplitter.Marker? {
        let words = comment.content.split(whereSeparator: \.isWhitespace)
        // Misspelled markers are errors: otherwise a way down could become part of the way up.
        guard let first = words.first, first.asciiLowercased.begins(with: "migrate:") else {
            return nil
        }
        guard comment.lead == .nothing else {
            throw comment.malformed(
                "dbmate recognises a marker only at the beginning of a line",
                hint: "put `\(comment.text)` on a separate line, without leading white space")
        }
        let inTransaction = try runsInTransaction(words.dropFirst(), comment)
        switch first {
        case "migrate:up": return .up(inTransaction: inTransaction)
        case "migrate:down": return .down(inTransaction: inTransaction)
        default:
            throw comment.malformed(
                "“\(comment.content)” is not a dbmate marker",
                hint: "the markers are `-- migrate:up` and `-- migrate:down`")
        }
    }

    private static func runsInTransaction(
        _ options: ArraySlice<Substring>, _ comment: ScriptSplitter.Comment
    ) throws(LockstepError) -> Bool {
        var inTransaction = true
        // dbmate ignores a word without a colon.
        for option in options where option.utf8.contains(UInt8(ascii: ":")) {
            switch option {
            case "transaction:false": inTransaction = false
            case "transaction:true": inTransaction = true
            default:
                throw comment.malformed(
                    "“\(option)” is not an option of a marker",
                    hint: "the options are transaction:false and transaction:true")
            }
        }
        return inTransaction
    }
}
