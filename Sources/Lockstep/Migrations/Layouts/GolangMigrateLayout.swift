// Rules: source/parse.go of golang-migrate. A name is digits, an underscore, anything, `.up.` or
// `.down.`, and an ending; the number is of 64 bits without a sign; halves are paired by it; the order is by number.
// Anything else in the folder is passed over.

/// `<number>_<name>.up.sql` and `<number>_<name>.down.sql`.
enum GolangMigrateLayout {
    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        var pairs = UpDownPairs(.golangMigrate)
        var others: [(MigrationVersion, MigrationSource)] = []
        for source in sources where source.folder == nil {
            guard let half = DirectedName(source.name) else {
                guard source.isSQL else { continue }
                guard !NumberedName.isLikely(source.name) else {
                    throw source.malformed(
                        "is neither a way up nor a way down, and golang-migrate would pass over it",
                        hint: "name it <number>_<name>.up.sql; if the folder is another tool's, "
                            + "name its layout with --layout")
                }
                contents.ignoredFiles.append(source.path)
                continue
            }
            guard let version = MigrationVersion(half.number.digits) else {
                throw source.malformed(
                    "has a version that is no number of 64 bits",
                    hint: "name it <number>_<name>.up.sql")
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
        // What an editor leaves beside a file is nothing; what stands in the place of one is a version.
        let versions = Set(contents.versions.map(\.version))
        for (version, source) in others where !versions.contains(version) {
            throw source.malformed(
                "is a migration of golang-migrate, but no SQL",
                hint: "leaving it out would make a hole: write the version as SQL")
        }
        return contents
    }
}

/// A file's name that says whether it leads up or down: `<number>_<name>.up.<ending>`.
struct DirectedName {
    let number: NumberedName
    let isUp: Bool
    private let ending: Substring

    /// Whether it ends in `.sql`, whatever else stands behind the direction.
    var isSQL: Bool { ending == "sql" || ending.hasSuffix(".sql") }

    init?(_ name: Substring) {
        guard let whole = NumberedName(name),
            !whole.digits.isEmpty, whole.digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        // A dot in the name is part of it: the last direction counts.
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
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
