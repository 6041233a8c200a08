// Rules: what postgrator, ley, umzug, wrangler and programs without a tool of their own have in common. A name begins
// with a number, perhaps after a V; a hyphen, an underscore, a dot or a space and any text can follow. `.up.` and
// `.down.`, or `.do.` and `.undo.`, before or after the text, make two files one version. The order is by number;
// digits from the length of a date on are times. Other files are ignored.

/// `001-name.sql`, `20240131120000.sql`, `V0001.name.up.sql` and other names that begin with a number.
enum NumberedLayout: LayoutRules {
    static let firstVersion: String? = "001"

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        var pairs = UpDownPairs(.numbered)
        for source in sources where source.folder == nil && source.isSQL {
            guard let stem = source.stem, let name = LooseName(stem) else {
                guard !NumberedName.isLikely(source.name) else {
                    throw misnamed(source)
                }
                contents.ignoredFiles.append(source.path)
                continue
            }
            if name.direction == .down {
                try pairs.addDown(name.version, name.name, source)
            } else {
                pairs.addUp(name.version, name.name, source)
            }
        }
        contents.versions = try pairs.files()
        return contents
    }

    static func misnamed(_ source: MigrationSource) -> LockstepError {
        source.malformed(
            "does not begin with a version that can be read",
            hint: "name it <number>-<name>.sql, such as 001-create_tables.sql")
    }

    /// Named like the newest file.
    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        let newest = set.files.last.flatMap { file in
            LooseName(file.fileName.dropLast(4)).map {
                (name: $0, isPair: file.downFileName != nil)
            }
        }
        guard let newest else { return [("\(version)-\(name).sql", "")] }
        let separator = newest.name.separator.isEmpty ? "-" : newest.name.separator
        let start = "\(newest.name.prefix)\(version)\(separator)"
        guard newest.name.direction != nil else { return [("\(start)\(name).sql", "")] }
        let isDo =
            set.files.last?.fileName.asciiLowercased.contains("do.") == true
            && set.files.last?.fileName.asciiLowercased.contains("up.") == false
        return (isDo ? ["do", "undo"] : ["up", "down"]).map { word in
            let path = newest.name.isDirectionFirst ? "\(start)\(word).\(name).sql" : "\(start)\(name).\(word).sql"
            return (path, "")
        }
    }
}
