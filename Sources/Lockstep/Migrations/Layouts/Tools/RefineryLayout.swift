// Rules: refinery_core/src/util.rs and traits/mod.rs. A name is `V` or `U`, a whole number, two underscores,
// letters, digits and underscores, `.sql` or `.rs`; refinery ignores other files with a warning. Subfolders are
// read. The order is by number; `U` versions can be applied late. There is no way down.

/// `V<number>__<name>.sql`, or `U` for a version that can be applied late.
enum RefineryLayout: LayoutRules {
    static let reach = MigrationFolder.Reach.tree
    static let firstVersion: String? = "1"

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        for source in sources {
            let isCode = source.name.ends(with: ".rs")
            guard isCode || source.isSQL else { continue }
            let stem = isCode ? source.name.dropLast(3) : source.name.dropLast(4)
            guard let name = PrefixedName(stem), let version = Self.version(of: name), isCode || source.stem != nil
            else {
                guard !PrefixedName.isMeant(stem), !(NumberedName.isLikely(stem) && !isCode)
                else {
                    throw source.malformed(
                        "is not named like a migration of refinery, which would ignore it",
                        hint: "name it V<number>__<name>.sql, with letters, digits and "
                            + "underscores in the name, such as V1__create_tables.sql")
                }
                if source.isSQL { contents.ignoredFiles.append(source.path) }
                continue
            }
            guard !isCode else {
                contents.code.append(ExternalCode(version: version, fileName: source.path, language: "Rust"))
                continue
            }
            contents.versions.append(
                try MigrationFile(
                    version, name: name.description, source, up: MigrationFileParser.parseWhole(source, as: .refinery),
                    mayComeLate: name.prefix == .undoOrLate))
        }
        return contents
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        [("V\(version)__\(name).sql", "")]
    }

    private static func version(of name: PrefixedName) -> MigrationVersion? {
        guard name.prefix == .version || name.prefix == .undoOrLate,
            !name.description.isEmpty,
            name.description.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }),
            let version = MigrationVersion(name.version), !name.version.contains("."),
            version.number.map({ $0 <= UInt64(Int64.max) }) == true
        else { return nil }
        return version
    }
}
