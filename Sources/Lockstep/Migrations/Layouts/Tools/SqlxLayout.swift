// Rules: sqlx-core/src/migrate/source.rs. A name is a signed 64-bit number, an underscore, and any text that ends
// in `.sql`. `.up.sql` and `.down.sql` are the halves of a version; any other file is a version without a way
// down. Names without an underscore are ignored; other numbers are errors. A file that begins with `--
// no-transaction` runs outside a transaction. The order is by number.

/// `<number>_<name>.sql`, or `<number>_<name>.up.sql` and `<number>_<name>.down.sql`.
enum SqlxLayout: LayoutRules {
    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        var pairs = UpDownPairs(.sqlx)
        for source in sources where source.folder == nil && source.isSQL {
            guard let stem = source.stem, let number = NumberedName(stem) else {
                guard !NumberedName.isLikely(source.name) else { throw misnamed(source) }
                contents.ignoredFiles.append(source.path)
                continue
            }
            guard let version = number.signedVersion() else { throw misnamed(source) }
            let inTransaction = !isOutside(source)
            if number.name.ends(with: ".down") {
                try pairs.addDown(version, number.name.dropLast(5), source, inTransaction: inTransaction)
            } else {
                let isHalf = number.name.ends(with: ".up")
                pairs.addUp(
                    version, isHalf ? number.name.dropLast(3) : number.name, source, inTransaction: inTransaction)
            }
        }
        contents.versions = try pairs.files()
        return contents
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        let isPaired = set.files.last?.fileName.ends(with: ".up.sql") ?? true
        return isPaired
            ? GolangMigrateLayout.draft(version, name, in: set)
            : [("\(version)_\(name).sql", "")]
    }

    /// Whether the file requests to run outside a transaction; only its first bytes count.
    static func isOutside(_ source: MigrationSource) -> Bool {
        source.bytes.starts(with: "-- no-transaction".utf8)
    }

    private static func misnamed(_ source: MigrationSource) -> LockstepError {
        source.malformed(
            "is not named like a migration of sqlx",
            hint: "name it <number>_<name>.sql, such as 20240131120000_create_tables.sql")
    }
}
