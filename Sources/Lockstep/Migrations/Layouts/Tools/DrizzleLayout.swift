// Rules: drizzle-orm's migrator.ts. `meta/_journal.json` lists the versions in their order, each with the `tag` that is
// the name of its file without `.sql`; other files are ignored. Since drizzle-kit 1.0 there is no journal: each folder
// is a version, a time and a name, with `migration.sql` and `snapshot.json`, ordered by name. `-->
// statement-breakpoint` ends a statement. There is no way down.

/// `0000_name.sql` with `meta/_journal.json`, or `20240131120000_name/migration.sql`.
enum DrizzleLayout: LayoutRules {
    static let reach = MigrationFolder.Reach.oneFolderEach
    static let journal = "meta/_journal.json"
    static let maker: String? = "`drizzle-kit generate`"

    static func isSettings(_ name: Substring) -> Bool { name == "_journal.json" }

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        guard let journal = sources.first(where: { $0.path == Self.journal }) else {
            return try VersionFolders(
                layout: .drizzle, up: "migration.sql", down: "down.sql",
                naming: "20240131120000_create_tables", marker: marker,
                meaning: meaning
            ).read(sources)
        }
        var contents = LayoutContents()
        let files = sources.filter { $0.folder == nil && $0.isSQL }
        var last: MigrationVersion?
        var listed: Set<ExactText> = []
        for tag in try DrizzleJournal(journal).tags {
            guard let source = files.first(where: { $0.name.hasSameBytes(as: "\(tag).sql") }) else {
                throw journal.malformed(
                    "lists \(tag), but there is no \(tag).sql",
                    hint: "bring the file back: drizzle refuses the folder as well")
            }
            guard listed.insert(ExactText(tag)).inserted, let name = NumberedName(tag),
                let version = NumberedName.textualVersion(name.digits), !name.digits.isEmpty
            else {
                throw journal.malformed(
                    "lists \(tag), which is listed before or has no number",
                    hint: "name it like 0000_create_tables, and list it once")
            }
            if let last, version <= last {
                throw journal.malformed(
                    "lists \(tag) after version \(last)",
                    hint: "drizzle runs the journal's order: number the files in that order")
            }
            last = version
            contents.versions.append(
                try MigrationFile(
                    version, name: name.name, source,
                    up: MigrationFileParser.parseWhole(source, as: .drizzle, marker: marker), markers: meaning))
        }
        for file in files where !listed.contains(ExactText(String(file.name.dropLast(4)))) {
            guard !NumberedName.isLikely(file.name) else {
                throw file.malformed(
                    "is not in \(Self.journal), so that drizzle would not run it",
                    hint: "add it with drizzle-kit, or move it away")
            }
            contents.ignoredFiles.append(file.path)
        }
        return contents
    }

    private static let breakpoint = "--> statement-breakpoint"

    private static func marker(_ comment: Substring) -> ScriptSplitter.Marker? {
        comment.begins(with: breakpoint) ? .statementEnd : nil
    }

    /// A breakpoint ends a statement, so that it counts.
    private static func meaning(of comment: String) -> String? {
        comment.begins(with: breakpoint) ? "statement-breakpoint" : nil
    }
}
