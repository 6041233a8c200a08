// Rules: sqlx-core/src/migrate/source.rs. A name is a number of 64 bits with a sign, an underscore, and anything
// that ends in `.sql`; `.up.sql` and `.down.sql` are the halves of a version, anything else is a version
// without a way back; names without an underscore are passed over, and other numbers are errors. A file
// that begins with `-- no-transaction` runs outside one. The order is by number.

/// `<number>_<name>.sql`, or `<number>_<name>.up.sql` and `<number>_<name>.down.sql`.
enum SqlxLayout {
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
            if number.name.hasSuffix(".down") {
                try pairs.addDown(
                    version, number.name.dropLast(5), source, inTransaction: inTransaction)
            } else {
                let isHalf = number.name.hasSuffix(".up")
                pairs.addUp(
                    version, isHalf ? number.name.dropLast(3) : number.name, source,
                    inTransaction: inTransaction)
            }
        }
        contents.versions = try pairs.files()
        return contents
    }

    /// Whether the file says that it runs outside a transaction; only its very first bytes count.
    static func isOutside(_ source: MigrationSource) -> Bool {
        source.bytes.starts(with: "-- no-transaction".utf8)
    }

    private static func misnamed(_ source: MigrationSource) -> LockstepError {
        source.malformed(
            "is not named like a migration of sqlx",
            hint: "name it <number>_<name>.sql, such as 20240131120000_create_tables.sql")
    }
}
