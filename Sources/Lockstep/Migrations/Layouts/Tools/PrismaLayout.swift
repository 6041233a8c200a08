// Rules: Prisma's migrations folder. Each folder is a version: fourteen digits of a time, an underscore and a name, or
// any name that sorts; it contains `migration.sql`. `migration_lock.toml` names the database's kind. The order is by
// name. There is no way down; some projects keep a `down.sql` in the folder.

/// `20240131120000_name/migration.sql`, with `migration_lock.toml` beside the folders.
enum PrismaLayout: LayoutRules {
    static let reach = MigrationFolder.Reach.oneFolderEach
    static let alwaysUsesTime = true
    static let lock = "migration_lock.toml"

    // exact: a name of the source
    static func isSettings(_ name: Substring) -> Bool { name == lock }

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        if let lock = sources.first(where: { $0.path == Self.lock }) { try requireEngine(lock) }
        return try VersionFolders(
            layout: .prisma, up: "migration.sql", down: "down.sql", naming: "20240131120000_create_tables"
        ).read(sources)
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        [("\(version)_\(name)/migration.sql", "")]
    }

    static func orderingText(of path: String) -> String? { String(path.prefix { $0 != "/" }) }

    /// SQL for another database would run here as far as it happens to be valid.
    private static func requireEngine(_ lock: MigrationSource) throws(LockstepError) {
        for line in try lock.text().split(whereSeparator: \.isNewline) {
            let sides = line.prefix { $0 != "#" }.split(separator: "=", maxSplits: 1)
                .map { $0.trimmingSpace() }
            guard sides.count == 2, sides[0] == "provider" else { continue }
            try SQLDialect.require(sides[1].filter { $0 != "\"" && $0 != "'" }, in: lock)
        }
    }
}
