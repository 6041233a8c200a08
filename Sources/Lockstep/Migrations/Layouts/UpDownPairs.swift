/// Versions with the ways up and down in separate files.
struct UpDownPairs {
    let layout: MigrationLayout

    private struct Half {
        let version: MigrationVersion
        let name: Substring
        let source: MigrationSource
        let inTransaction: Bool
    }

    private var ups: [Half] = []
    private var downs: [MigrationVersion: Half] = [:]

    init(_ layout: MigrationLayout) { self.layout = layout }

    mutating func addUp(
        _ version: MigrationVersion, _ name: Substring, _ source: MigrationSource, inTransaction: Bool = true
    ) {
        ups.append(
            Half(version: version, name: name, source: source, inTransaction: inTransaction))
    }

    /// - Throws: ``LockstepError/Code/versionDuplicate`` if the version already has a way down.
    mutating func addDown(
        _ version: MigrationVersion, _ name: Substring, _ source: MigrationSource, inTransaction: Bool = true
    ) throws(LockstepError) {
        if let other = downs[version] {
            throw LockstepError(
                .versionDuplicate, "\(other.source.path) and \(source.path) both undo version \(version)",
                hint: "keep the file that undoes the version",
                context: .init(file: source.path, version: version.description))
        }
        downs[version] = Half(version: version, name: name, source: source, inTransaction: inTransaction)
    }

    /// The versions. The number pairs the two halves; their names can differ.
    func files() throws(LockstepError) -> [MigrationFile] {
        var files: [MigrationFile] = []
        for up in ups {
            let down = downs[up.version]
            var wayDown: MigrationScript?
            if let down {
                wayDown = try MigrationFileParser.parseWhole(
                    down.source, as: layout, inTransaction: down.inTransaction, isDown: true)
            }
            files.append(
                try MigrationFile(
                    up.version, name: up.name, up.source,
                    up: MigrationFileParser.parseWhole(
                        up.source, as: layout, inTransaction: up.inTransaction),
                    down: wayDown, downFileName: down?.source.path))
        }
        let versions = Set(ups.map(\.version))
        let orphans = downs.values.filter { !versions.contains($0.version) }
        if let orphan = orphans.min(by: { $0.version < $1.version }) {
            throw orphan.source.malformed(
                "undoes version \(orphan.version), but no file leads to that version",
                hint: "add the file with the way up, or remove this file")
        }
        return files
    }
}
