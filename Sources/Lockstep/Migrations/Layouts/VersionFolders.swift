/// Reads a folder of folders, each of which is a version with one file for its way up.
struct VersionFolders {
    let layout: MigrationLayout
    /// The name of the file with the way up.
    let up: Substring
    /// The name of the file with the way down.
    let down: Substring
    /// A folder's name, for hints.
    let naming: String
    /// The meaning of a comment in a way up.
    var marker: (Substring) -> ScriptSplitter.Marker? = { _ in nil }
    /// The same for checksums.
    var meaning: (String) -> String? = { _ in nil }

    /// Files beside the folders, and folders without any SQL, are ignored.
    func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        let folders = Dictionary(grouping: sources) { ExactText($0.folder ?? "") }
        for (key, files) in folders.sorted(by: { $0.key < $1.key }) {
            let folder = key.text[...]
            guard !folder.isEmpty, !folder.utf8.contains(UInt8(ascii: "/")) else {
                contents.ignoredFiles += files.filter(\.isSQL).map(\.path)
                continue
            }
            guard let first = files.first(where: \.isSQL) else { continue }
            // exact: names of the source
            guard let source = files.first(where: { $0.name == up }) else {
                throw first.malformed(
                    "is in a folder without \(up)", hint: "each folder is a version: add \(up), or move it away")
            }
            contents.versions.append(
                // exact: names of the source
                try version(folder, source, files.first { $0.name == down }))
            contents.ignoredFiles += files.filter {
                $0.isSQL && $0.name != up && $0.name != down  // exact: names of the source
            }.map(\.path)
        }
        return contents
    }

    private func version(
        _ folder: Substring, _ source: MigrationSource, _ down: MigrationSource?
    ) throws(LockstepError) -> MigrationFile {
        guard let name = LooseName(folder), name.prefix.isEmpty else {
            throw source.malformed(
                "is in a folder whose name does not begin with a version", hint: "name the folder like \(naming)")
        }
        var wayDown: MigrationScript?
        if let down {
            wayDown = try MigrationFileParser.parseWhole(down, as: layout, isDown: true)
        }
        return try MigrationFile(
            name.version, name: name.name.isEmpty ? folder : name.name, source,
            up: MigrationFileParser.parseWhole(source, as: layout, marker: marker),
            down: wayDown, downFileName: down?.path, markers: meaning)
    }
}
