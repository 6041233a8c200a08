// Rules: diesel_migrations. Each visible folder that is not empty is a version and holds `up.sql`, perhaps
// `down.sql`, perhaps `metadata.toml`; files beside the folders are passed over. The version is what stands
// before the first underscore, without its hyphens; the order is that of the texts.

/// `<version>_<name>/up.sql` and `<version>_<name>/down.sql`.
enum DieselLayout {
    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        var pairs = UpDownPairs(.diesel)
        // A path can have no name in it, where a program gives the files.
        let folders = Dictionary(grouping: sources) { $0.path.prefix { $0 != "/" } }
        for (folder, all) in folders.sorted(by: { $0.key < $1.key }) {
            let files = all.filter { $0.folder == folder }
            guard let first = all.first(where: { $0.folder != nil }) else {
                contents.ignoredFiles += all.filter(\.isSQL).map(\.path)
                continue
            }
            guard let up = files.first(where: { $0.name == "up.sql" }) else {
                throw first.malformed(
                    "lies in a folder without an up.sql",
                    hint: "each folder is a version of diesel's: give it an up.sql, or move it away"
                )
            }
            guard let version = version(of: folder) else {
                throw up.malformed(
                    "lies in a folder whose name begins with no version",
                    hint: "name the folder like 2024-01-31-120000_create_tables")
            }
            let name = folder.drop { $0 != "_" }.dropFirst()
            let settings = files.first { $0.name == "metadata.toml" }
            let inTransaction = try settings.map(runsInTransaction) ?? true
            pairs.addUp(version, name.isEmpty ? folder : name, up, inTransaction: inTransaction)
            if let down = files.first(where: { $0.name == "down.sql" }) {
                try pairs.addDown(version, name, down, inTransaction: inTransaction)
            }
            contents.ignoredFiles += files.filter {
                $0.isSQL && $0.name != "up.sql" && $0.name != "down.sql"
            }.map(\.path)
        }
        contents.versions = try pairs.files()
        return contents
    }

    /// The version in a folder's name.
    static func version(of folder: some StringProtocol) -> MigrationVersion? {
        NumberedName.textualVersion(Substring(folder).prefix { $0 != "_" }.filter { $0 != "-" })
    }

    /// Reads the one setting that diesel knows.
    private static func runsInTransaction(
        _ source: MigrationSource
    ) throws(LockstepError) -> Bool {
        var found: Bool?
        var isTop = true
        for line in try source.text().split(whereSeparator: \.isNewline) {
            let line = line.prefix { $0 != "#" }.trimmingSpace()
            if line.hasPrefix("[") { isTop = false }
            let sides = line.split(separator: "=", maxSplits: 1).map { $0.trimmingSpace() }
            let quotes: Set<Character> = ["\"", "'"]
            guard isTop, sides.count == 2,
                sides[0].filter({ !quotes.contains($0) }) == "run_in_transaction"
            else { continue }
            guard found == nil, sides[1] == "true" || sides[1] == "false" else {
                throw source.malformed(
                    "does not say once, with true or false, what run_in_transaction is",
                    hint: "write `run_in_transaction = false`, or remove the file")
            }
            found = sides[1] == "true"
        }
        guard let found else {
            throw source.malformed(
                "does not say what run_in_transaction is, and diesel then takes it for false",
                hint: "write `run_in_transaction = true` or `= false`, or remove the file")
        }
        return found
    }
}
