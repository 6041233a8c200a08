// Rules: source/parse.go of golang-migrate. A name is digits, an underscore, any text, `.up.` or `.down.`, and an
// extension; the number is an unsigned 64-bit number and pairs the halves; the order is by number. Other files in
// the folder are ignored.

/// `<number>_<name>.up.sql` and `<number>_<name>.down.sql`.
enum GolangMigrateLayout: LayoutRules {
    static let firstVersion: String? = "000001"

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        var pairs = UpDownPairs(.golangMigrate)
        var others: [(MigrationVersion, MigrationSource)] = []
        for source in sources where source.folder == nil {
            guard let half = DirectedName(source.name) else {
                guard source.isSQL else { continue }
                guard !NumberedName.isLikely(source.name) else {
                    throw source.malformed(
                        "is neither a way up nor a way down, and golang-migrate would ignore it",
                        advice: """
                            name it <number>_<name>.up.sql; if the folder belongs to another tool, name its \
                            layout with \(.nameLayout)
                            """)
                }
                contents.ignoredFiles.append(source.path)
                continue
            }
            guard let version = MigrationVersion(half.number.digits) else {
                throw source.malformed(
                    "has a version that is not a 64-bit number", hint: "name it <number>_<name>.up.sql")
            }
            guard half.isSQL else {
                others.append((version, source))
                continue
            }
            if half.isUp {
                pairs.addUp(version, half.number.name, source)
            } else {
                try pairs.addDown(version, half.number.name, source)
            }
        }
        contents.versions = try pairs.files()
        // An editor's leftover beside a migration is ignored; a file in place of a migration is a version.
        let versions = Set(contents.versions.map(\.version))
        for (version, source) in others where !versions.contains(version) {
            throw source.malformed(
                "is a migration of golang-migrate, but not SQL",
                hint: "skipping it would leave a gap: write the version as SQL")
        }
        return contents
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        [("\(version)_\(name).up.sql", ""), ("\(version)_\(name).down.sql", "")]
    }
}

/// A file name with a direction: `<number>_<name>.up.<extension>`.
struct DirectedName {
    let number: NumberedName
    let isUp: Bool
    private let ending: Substring

    /// Whether it ends in `.sql`, with or without other text after the direction.
    var isSQL: Bool { ending == "sql" || ending.ends(with: ".sql") }

    init?(_ name: Substring) {
        guard let whole = NumberedName(name),
            !whole.digits.isEmpty, whole.digits.utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        // The name can contain dots: the last direction counts.
        let parts = name.pieces(between: ".")
        guard
            let direction = parts.indices.dropLast().last(where: {
                $0 > 0 && ["up", "down"].contains(parts[$0])
            }),
            let number = NumberedName(name[..<parts[direction].startIndex].dropLast())
        else { return nil }
        self.number = number
        isUp = parts[direction] == "up"
        ending = name[parts[direction].endIndex...].dropFirst()
    }
}
