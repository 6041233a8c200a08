// Rules: sql/migrate/dir.go of Atlas. Every `.sql` file in the folder is a version; the text before the first
// underscore is the version, and the order is by name. `atlas.sum` has a digest of every file and of them all. `--
// atlas:txmode none` at the top of a file turns the transaction off; `-- atlas:checkpoint` makes it one that replaces
// all files before it. There is no way down.

/// `20240131120000_name.sql` or `20240131120000.sql`, with `atlas.sum` beside them.
enum AtlasLayout: LayoutRules {
    static let maker: String? = "`atlas migrate new`"

    // exact: a name of the source
    static func isSettings(_ name: Substring) -> Bool { name == AtlasSum.fileName }

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        let files = sources.filter { $0.folder == nil && $0.name.ends(with: ".sql") }
        if let sum = sources.first(where: { $0.path == AtlasSum.fileName }) {
            try AtlasSum(sum).check(files)
        } else if let first = files.first {
            throw LockstepError(
                .migrationMalformed, "there is no \(AtlasSum.fileName) beside \(first.path)",
                advice: """
                    make it with `atlas migrate hash`, or name another layout with \(.nameLayout) to run the files \
                    without it
                    """, context: .init(file: first.path))
        }
        var contents = LayoutContents()
        for source in files {
            let stem = source.name.dropLast(4)
            let digits = stem.prefix { $0 != "_" }
            guard let version = NumberedName.textualVersion(digits), !digits.isEmpty else {
                throw source.malformed(
                    "is not named like a migration, but Atlas would run it",
                    hint: "name it <number>_<name>.sql, such as 20240131120000_create_tables.sql")
            }
            let directives = try AtlasDirectives(source)
            let file = try MigrationFile(
                version, name: stem.dropFirst(digits.count + 1), source,
                up: MigrationFileParser.parseWhole(source, as: .atlas, inTransaction: directives.inTransaction),
                kind: directives.isCheckpoint ? .baseline : .versioned)
            if directives.isCheckpoint {
                contents.baselines.append(file)
            } else {
                contents.versions.append(file)
            }
        }
        contents.baselines.sort { $0.version < $1.version }
        return contents
    }

    static func orderingText(of path: String) -> String? { path }
}

/// The comments at the top of a file from which Atlas learns how to run it.
private struct AtlasDirectives {
    var inTransaction = true
    var isCheckpoint = false

    init(_ source: MigrationSource) throws(LockstepError) {
        for (index, line) in try source.text().split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        ).enumerated() {
            let line = line.trimmingSpace()
            guard line.begins(with: "--") else { break }
            let words = line.drop { $0 == "-" || $0 == " " }
                .split(whereSeparator: \.isWhitespace)
            switch words.first {
            case "atlas:txmode": inTransaction = words.dropFirst().first != "none"
            case "atlas:checkpoint": isCheckpoint = true
            case "atlas:delimiter":
                throw source.origin.malformed(
                    "this file has a delimiter of its own", line: index + 1,
                    hint:
                        "end its statements with semicolons, remove the line, and run `atlas migrate hash`"
                )
            default: continue
            }
        }
    }
}
