// Rules: diesel_migrations. Each visible folder that is not empty is a version and contains `up.sql`, and
// optionally `down.sql` and `metadata.toml`; files beside the folders are ignored. The version is the text before
// the first underscore, without its hyphens; versions are ordered as text.

/// `<version>_<name>/up.sql` and `<version>_<name>/down.sql`.
enum DieselLayout: LayoutRules {
    static let reach = MigrationFolder.Reach.oneFolderEach
    static let alwaysUsesTime = true

    static func isSettings(_ name: Substring) -> Bool { name == "metadata.toml" }

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        var pairs = UpDownPairs(.diesel)
        // A path that the program supplies can lack a folder name.
        let folders = Dictionary(grouping: sources) { ExactText($0.path.pieces(between: "/")[0]) }
        let plain = Set(
            folders.keys.map { $0.text[...] }.filter { zeros(in: $0) == 0 }.compactMap {
                version(of: $0)
            })
        for (key, all) in folders.sorted(by: { $0.key < $1.key }) {
            let folder = key.text[...]
            let files = all.filter { $0.folder.hasSameBytes(as: folder) }
            guard let first = all.first(where: { $0.folder != nil }) else {
                contents.ignoredFiles += all.filter(\.isSQL).map(\.path)
                continue
            }
            guard let up = files.first(where: { $0.name == "up.sql" }) else {
                throw first.malformed(
                    "is in a folder without an up.sql",
                    hint: "each folder is a version of diesel: add an up.sql, or move it away")
            }
            guard var version = version(of: folder) else {
                throw up.malformed(
                    "is in a folder whose name does not begin with a version",
                    hint: "name the folder like 2024-01-31-120000_create_tables")
            }
            let zeros = zeros(in: folder)
            if zeros > 0, plain.contains(version) { version = version.part(0).part(zeros) }
            let name = folder.drop { $0 != "_" }.dropFirst()
            let settings = files.first { isSettings($0.name) }
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

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        [("\(version)_\(name)/up.sql", ""), ("\(version)_\(name)/down.sql", "")]
    }

    static func orderingText(of path: String) -> String? {
        String(path.prefix { $0 != "_" }.filter { $0 != "-" })
    }

    /// With hyphens: `2024-01-31-120000`.
    static func version(atTime digits: String) -> String {
        let (year, month, day) = (digits.prefix(4), digits.dropFirst(4).prefix(2), digits.dropFirst(6).prefix(2))
        return "\(year)-\(month)-\(day)-\(digits.suffix(6))"
    }

    /// The version in the name of a folder.
    static func version(of folder: some StringProtocol) -> MigrationVersion? {
        NumberedName.textualVersion(Substring(folder).prefix { $0 != "_" }.filter { $0 != "-" })
    }

    /// How many zeros, and nothing else, follow the seconds of a version. Newer releases of diesel write `-0000`: that
    /// makes another text of the same time.
    private static func zeros(in folder: Substring) -> UInt64 {
        let rest = folder.prefix { $0 != "_" }.filter { $0 != "-" }.dropFirst(14)
        return rest.allSatisfy { $0 == "0" } ? UInt64(rest.count) : 0
    }

    /// Reads the only setting that diesel has.
    private static func runsInTransaction(
        _ source: MigrationSource
    ) throws(LockstepError) -> Bool {
        var found: Bool?
        var isTop = true
        for line in try source.text().split(whereSeparator: \.isNewline) {
            let line = line.prefix { $0 != "#" }.trimmingSpace()
            if line.begins(with: "[") { isTop = false }
            let sides = line.pieces(between: "=", atMost: 1).filter { !$0.isEmpty }.map {
                $0.trimmingSpace()
            }
            let quotes: Set<Character> = ["\"", "'"]
            guard isTop, sides.count == 2,
                sides[0].filter({ !quotes.contains($0) }) == "run_in_transaction"
            else { continue }
            guard found == nil, sides[1] == "true" || sides[1] == "false" else {
                throw source.malformed(
                    "must set run_in_transaction once, to true or false",
                    hint: "write `run_in_transaction = false`, or remove the file")
            }
            found = sides[1] == "true"
        }
        guard let found else {
            throw source.malformed(
                "does not set run_in_transaction, which diesel then takes as false",
                hint: "write `run_in_transaction = true` or `= false`, or remove the file")
        }
        return found
    }
}
