/// The files of a folder in the native layout that count for one engine.
struct EngineVariants {
    /// The files that count.
    let sources: [MigrationSource]
    /// The versions that exist for other engines alone.
    let versionsElsewhere: [MigrationVersion]

    /// - Parameter sources: All files of the folder.
    init(_ sources: [MigrationSource], for engine: DatabaseEngine) {
        var files: [VersionName: [DatabaseEngine?: [MigrationSource]]] = [:]
        var versions: [MigrationVersion: Bool] = [:]
        for source in sources {
            guard let name = VersionName(source) else { continue }
            let own = Self.engine(of: source)
            files[name, default: [:]][own, default: []].append(source)
            let counts = own == nil || own == engine
            versions[name.version] = versions[name.version, default: false] || counts
        }
        self.sources = sources.filter { source in
            guard let name = VersionName(source), let variants = files[name] else { return true }
            let own = Self.engine(of: source)
            return own == engine || own == nil && variants[engine] == nil
        }
        versionsElsewhere = versions.filter { !$0.value }.keys.sorted()
    }

    /// A stem without the name of its engine, and that engine: `0002_add` and PostgreSQL for `0002_add.postgres`.
    static func withoutEngine(_ stem: Substring) -> (stem: Substring, engine: DatabaseEngine?) {
        guard let dot = stem.lastIndex(of: "."),
            let engine = DatabaseEngine(rawValue: stem[stem.index(after: dot)...].asciiLowercased)
        else { return (stem, nil) }
        return (stem[..<dot], engine)
    }

    private static func engine(of source: MigrationSource) -> DatabaseEngine? {
        source.stem.flatMap { withoutEngine($0).engine }
    }

    /// What the variants of one file have in common.
    private struct VersionName: Hashable {
        let version: MigrationVersion
        @Exact private(set) var name: Substring

        /// Nil for a file that has no such name, which the layout reports.
        init?(_ source: MigrationSource) {
            guard source.folder == nil, let stem = source.stem, let parts = NumberedName(withoutEngine(stem).stem),
                let version = MigrationVersion(parts.digits)
            else { return nil }
            (self.version, name) = (version, parts.name)
        }
    }
}
