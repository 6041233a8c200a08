// Rules: what programs that run all files of a folder in the order of their names have in common. Several files can
// begin with one number: `0001_tables.sql` and `0001_views.sql` are the versions 1.1 and 1.2. A file that comes between
// two others moves those after it, which the ledger notices: their checksums are those of other versions. Names are as
// in `numbered`.

/// Files that begin with a number, several of which can have the same; in the order of their names.
enum ByNameLayout: LayoutRules {
    static let firstVersion: String? = NumberedLayout.firstVersion

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        var found: [(name: LooseName, source: MigrationSource)] = []
        for source in sources where source.folder == nil && source.isSQL {
            guard let stem = source.stem, let name = LooseName(stem) else {
                guard !NumberedName.isLikely(source.name) else {
                    throw NumberedLayout.misnamed(source)
                }
                contents.ignoredFiles.append(source.path)
                continue
            }
            found.append((name, source))
        }
        var pairs = UpDownPairs(.byName)
        for (number, files) in Dictionary(grouping: found, by: \.name.version) {
            let ups = files.filter { $0.name.direction != .down }
                .sorted { ExactText(String($0.source.name)) < ExactText(String($1.source.name)) }
            for (place, file) in ups.enumerated() {
                pairs.addUp(part(place + 1, of: number), file.name.name, file.source)
            }
            for file in files where file.name.direction == .down {
                let place = ups.firstIndex { $0.name.name.hasSameBytes(as: file.name.name) } ?? ups.count
                try pairs.addDown(part(place + 1, of: number), file.name.name, file.source)
            }
        }
        contents.versions = try pairs.files()
        return contents
    }

    private static func part(_ place: Int, of number: MigrationVersion) -> MigrationVersion {
        number.part(UInt64(place))
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        NumberedLayout.draft(version, name, in: set)
    }
}
