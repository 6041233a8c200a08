// Rules: pkg/dbmate/migration.go and db.go. A name begins with digits and ends in `.sql`, others are
// passed over; the order is by name. A marker begins its line. Before the first one only comments may stand;
// every up has a down; several of both may follow one another, and are run in the order of the file, also
// downwards. `transaction:false` behind a marker is the one option.

/// `<digits>_<name>.sql`, with `-- migrate:up` and `-- migrate:down` in it.
enum DbmateLayout {
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
                    hint: "name it like 20240131120000_create_tables.sql, with a number of 64 bits")
            }
            let rest = stem.dropFirst(digits.count)
            contents.versions.append(
                try file(version, rest.hasPrefix("_") ? rest.dropFirst() : rest, source))
        }
        return contents
    }

    private static func file(
        _ version: MigrationVersion, _ name: Substring, _ source: MigrationSource
    ) throws(LockstepError) -> MigrationFile {
        let sections = MarkedSections(
            upMarker: "-- migrate:up", downMarker: "-- migrate:down", mayRepeat: true,
            needsDown: true)
        let cutter = ScriptCutter(source.path, readsForeignKeyPragmas: true) {
            comment throws(LockstepError) in try marker(comment)
        }
        let scripts = try sections.scripts(of: source.text(), cutter)
        return try MigrationFile(
            version, name: name, source, up: scripts.up, down: scripts.down, markers: meaning)
    }

    /// What a marker says, however it is spaced, for the checksum.
    private static func meaning(of comment: String) -> String? {
        let words = Substring(comment).dropFirst(2).split(whereSeparator: \.isWhitespace)
        guard comment.hasPrefix("--"), words.first?.hasPrefix("migrate:") == true else {
            return nil
        }
        return words.joined(separator: " ")
    }

    private static func marker(
        _ comment: ScriptCutter.Comment
    ) throws(LockstepError) -> ScriptCutter.Marker? {
        let words = comment.content.split(whereSeparator: \.isWhitespace)
        // A slip of the pen would quietly turn a way down into part of the way up.
        guard let first = words.first, first.asciiLowercased.hasPrefix("migrate:") else {
            return nil
        }
        guard comment.lead == .nothing else {
            throw comment.malformed(
                "dbmate sees a marker only at the beginning of a line",
                hint: "put `\(comment.text)` on a line of its own, without space before it")
        }
        let inTransaction = try runsInTransaction(words.dropFirst(), comment)
        switch first {
        case "migrate:up": return .up(inTransaction: inTransaction)
        case "migrate:down": return .down(inTransaction: inTransaction)
        default:
            throw comment.malformed(
                "“\(comment.content)” is no marker of dbmate",
                hint: "it knows `-- migrate:up` and `-- migrate:down`")
        }
    }

    private static func runsInTransaction(
        _ options: ArraySlice<Substring>, _ comment: ScriptCutter.Comment
    ) throws(LockstepError) -> Bool {
        var inTransaction = true
        // dbmate takes a word without a colon for a remark.
        for option in options where option.contains(":") {
            switch option {
            case "transaction:false": inTransaction = false
            case "transaction:true": inTransaction = true
            default:
                throw comment.malformed(
                    "“\(option)” is no option of a marker",
                    hint: "the options are transaction:false and transaction:true")
            }
        }
        return inTransaction
    }
}
