// Rules: src/loader.rs of rusqlite_migration. Each folder is a version: a number above zero, a hyphen and a name; it
// contains `up.sql`, and optionally `down.sql`. The numbers are consecutive from 1.

/// `01-name/up.sql` and `01-name/down.sql`.
enum RusqliteLayout: LayoutRules {
    static let reach = MigrationFolder.Reach.oneFolderEach
    static let allowsGaps = false
    static let firstVersion: String? = "01"

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        let contents = try VersionFolders(layout: .rusqlite, up: "up.sql", down: "down.sql", naming: "01-create_tables")
            .read(sources)
        for file in contents.versions where file.version.number.map({ $0 == 0 }) ?? true {
            throw LockstepError(
                .migrationMalformed,
                "\(file.fileName) has version \(file.version), but rusqlite_migration counts from 1",
                hint: "name the folder like 01-create_tables",
                context: .init(file: file.fileName))
        }
        return contents
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        [("\(version)-\(name)/up.sql", ""), ("\(version)-\(name)/down.sql", "")]
    }

    /// Whether a folder's name is a number, a hyphen and a name.
    static func isVersion(_ folder: some StringProtocol) -> Bool {
        guard let name = LooseName(folder), name.separator == "-", name.prefix.isEmpty else {
            return false
        }
        return name.name.first.map { !$0.isNumber } ?? false
    }
}
