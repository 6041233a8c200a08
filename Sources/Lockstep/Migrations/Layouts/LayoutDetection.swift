/// Detects the layout of a folder from the names of its files and the markers in them.
struct LayoutDetection {
    /// The evidence that a file gives.
    private enum Evidence: Hashable {
        /// Markers of this layout, or of another tool.
        case marker(MarkerOwner)
        /// A file that only this layout has.
        case settings(MigrationLayout)
        /// `1_name.up.sql`.
        case half
        /// `1_name.sql` without markers.
        case plain
        /// `1-name.sql` and other names that begin with a number.
        case loose
        /// `V1__name.sql` and similar names.
        case prefixed
        /// `2024-01-31_name/up.sql`.
        case folder
        /// `01-name/up.sql`.
        case hyphenFolder
        /// `20240131120000_name/migration.sql`.
        case migrationFolder

        /// Whether it is the name of a file that several tools give.
        var isNumbered: Bool { self == .half || self == .plain || self == .loose }
    }

    private let sources: [MigrationSource]
    /// The first file of each kind.
    private var evidence: [Evidence: MigrationSource] = [:]

    private init(_ sources: [MigrationSource]) {
        self.sources = sources
        for source in sources {
            guard let kind = Self.evidence(of: source) else { continue }
            evidence[kind] = evidence[kind] ?? source
        }
    }

    /// The layout of a folder that contains these files; the native layout for a folder without SQL.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` if several layouts match, or none.
    static func layout(of sources: [MigrationSource]) throws(LockstepError) -> MigrationLayout {
        try LayoutDetection(sources).layout()
    }

    private static func evidence(of source: MigrationSource) -> Evidence? {
        if let owner = settingsOwner(source.path) { return .settings(owner) }
        guard source.isSQL else { return nil }
        if let folder = source.folder {
            // Layouts with deeper folders read them once the layout is known.
            guard !folder.utf8.contains(UInt8(ascii: "/")) else { return nil }
            switch source.name {
            case "up.sql" where DieselLayout.version(of: folder) != nil: return .folder
            case "up.sql" where RusqliteLayout.isVersion(folder): return .hyphenFolder
            case "migration.sql" where LooseName(folder)?.prefix.isEmpty == true:
                return .migrationFolder
            default: return nil
            }
        }
        // A file with markers of several tools counts for the tool of the first marker.
        if let owner = MarkerOwner.first(in: source) { return .marker(owner) }
        if MarkersLayout.divides(source) { return .marker(.layout(.markers)) }
        if PrefixedName.isLikely(String(source.name)) { return .prefixed }
        return numberedEvidence(source)
    }

    private static func numberedEvidence(_ source: MigrationSource) -> Evidence? {
        let loose = source.stem.flatMap { LooseName($0) }
        guard NumberedName.isLikely(source.name) else {
            // `V1_name.sql` is rather a misspelling of Flyway's names.
            return loose.map { $0.separator != "_" } == true ? .loose : nil
        }
        if let half = DirectedName(source.name), MigrationVersion(half.number.digits) != nil {
            return .half
        }
        let isPlain = source.stem.flatMap { NumberedName($0)?.signedVersion() } != nil || loose == nil
        return isPlain ? .plain : .loose
    }

    private static func settingsOwner(_ path: String) -> MigrationLayout? {
        switch path {
        case AtlasSum.fileName: .atlas
        case DrizzleLayout.journal: .drizzle
        case PrismaLayout.lock: .prisma
        default: nil
        }
    }

    private func layout() throws(LockstepError) -> MigrationLayout {
        // The layout's parser reports unmarked files in a folder with markers.
        var kinds = Set(evidence.keys)
        // Atlas keeps its sums for folders of other tools, too.
        let others = kinds.filter { $0 != .settings(.atlas) }
        if !others.isSubset(of: [.plain, .loose]) { kinds = others }
        if let owner = try settingsOwner(kinds) { return owner }
        let markers = kinds.filter { if case .marker = $0 { true } else { false } }
        let named = kinds.subtracting(markers).subtracting(markers.isEmpty ? [] : [Evidence.plain, .half, .loose])
        if named.contains(.loose), named.allSatisfy(\.isNumbered) { return .numbered }
        guard markers.count + named.count <= 1 || kinds == [.plain, .half] else {
            throw mixed()
        }
        switch (markers.first ?? named.first, kinds == [.plain, .half]) {
        case (_, true): throw mixed()
        case (nil, _):
            let stray = sources.first { $0.isSQL && $0.folder == nil }
            guard let stray else { return .native }
            throw unknown(stray)
        case (.marker(let owner), _):
            guard let layout = owner.layout else { throw otherTool(owner) }
            return layout
        case (.half, _):
            let isSqlx = sources.contains { $0.folder == nil && SqlxLayout.isOutside($0) }
            return isSqlx ? .sqlx : .golangMigrate
        case (.plain, _): return .sqlx
        case (.loose, _): return .numbered
        case (.folder, _): return .diesel
        case (.hyphenFolder, _): return .rusqlite
        case (.migrationFolder, _), (.settings, _):
            let hasSnapshot = sources.contains { $0.name == "snapshot.json" }
            return hasSnapshot ? .drizzle : .prisma
        case (.prefixed, _): return try prefixedLayout()
        }
    }

    /// The layout of a folder with a file that only this layout has, if its other files fit.
    private func settingsOwner(
        _ kinds: Set<Evidence>
    ) throws(LockstepError) -> MigrationLayout? {
        for layout in [MigrationLayout.atlas, .drizzle, .prisma] {
            guard kinds.contains(.settings(layout)) else { continue }
            let fitting: Set<Evidence> =
                layout == .prisma ? [.migrationFolder] : [.plain, .loose]
            guard kinds.subtracting([.settings(layout)]).isSubset(of: fitting) else {
                throw mixed()
            }
            return layout
        }
        return nil
    }

    // MARK: Flyway or refinery

    /// Both tools read the same names with the same meaning, except for U and for Flyway's placeholders.
    private func prefixedLayout() throws(LockstepError) -> MigrationLayout {
        if sources.contains(where: { isRust($0) }) { return .refinery }
        let names = sources.filter(\.isSQL).compactMap { source in
            PrefixedName(source.name.dropLast(4)).map { (name: $0, source: source) }
        }
        let isFlyway = names.contains {
            $0.name.prefix == .repeatable || $0.name.prefix == .baseline
                || MigrationVersion($0.name.version)?.number == nil
        }
        let versions = Set(names.filter { $0.name.prefix == .version }.map { MigrationVersion($0.name.version) })
        let others = names.filter { $0.name.prefix == .undoOrLate }
        let undoing = others.filter { versions.contains(MigrationVersion($0.name.version)) }
        if isFlyway || (!others.isEmpty && undoing.count == others.count) { return .flyway }
        if !others.isEmpty {
            guard undoing.isEmpty else {
                throw ambiguous(
                    undoing[0].source,
                    "could undo a version, as with Flyway, or be one, as "
                        + "with refinery", .flyway, .refinery)
            }
            return .refinery
        }
        let placeholder = names.first { $0.source.bytes.contains(pair: "${") }
        if let placeholder {
            throw ambiguous(
                placeholder.source,
                "contains ${…}, which Flyway replaces and refinery "
                    + "does not",
                .flyway, .refinery)
        }
        return .flyway
    }

    private func isRust(_ source: MigrationSource) -> Bool {
        source.name == "mod.rs" || source.name.ends(with: ".rs") && PrefixedName.isMeant(source.name)
    }

    // MARK: Errors

    private func mixed() -> LockstepError {
        let found = evidence.map { (kind: $0.key, source: $0.value) }
            .sorted { ExactText($0.source.path) < ExactText($1.source.path) }
            .map { "\($0.source.path) (\(Self.words($0.kind)))" }
        let all = found.joined(separator: ", ")
        return LockstepError(
            .migrationMalformed, "the folder matches several layouts: it contains \(all)",
            advice: """
                name the layout with \(.nameLayout), or use a separate folder for each; layouts are \
                \(MigrationLayout.spellings)
                """)
    }

    private func ambiguous(
        _ source: MigrationSource, _ what: String, _ one: MigrationLayout, _ other: MigrationLayout
    ) -> LockstepError {
        source.malformed(
            what,
            advice:
                "name the intended layout: \(.layout(one.rawValue)) or \(.layout(other.rawValue))")
    }

    private func unknown(_ source: MigrationSource) -> LockstepError {
        source.malformed(
            "is not named like a migration, and neither is any other file in the folder",
            advice: """
                name it <version>_<name>.sql, such as 0001_create_tables.sql; if it belongs to another tool, \
                name its layout with \(.nameLayout): \(MigrationLayout.spellings)
                """)
    }

    private func otherTool(_ owner: MarkerOwner) -> LockstepError {
        let path = evidence[.marker(owner)]?.path ?? ""
        return LockstepError(
            .migrationMalformed, "\(path) has markers of \(owner.name), which this version does not read",
            hint: "replace them with `-- lockstep: up` and `-- lockstep: down`; "
                + "layouts are \(MigrationLayout.spellings)", context: .init(file: path))
    }

    private static func words(_ evidence: Evidence) -> String {
        switch evidence {
        case .marker(let owner): "markers of \(owner.name)"
        case .settings(let layout): "a file of \(layout.rawValue)"
        case .half: "golang-migrate or sqlx by its name"
        case .loose: "numbered by its name"
        case .hyphenFolder: "rusqlite by its folder"
        case .migrationFolder: "Prisma or drizzle by its folder"
        case .plain: "sqlx by its name, without markers"
        case .prefixed: "Flyway or refinery by its name"
        case .folder: "diesel by its folder"
        }
    }
}

extension Collection<UInt8> {
    /// Whether two ASCII characters occur next to each other.
    fileprivate func contains(pair: StaticString) -> Bool {
        let pair = pair.description.utf8
        return zip(self, dropFirst()).contains { $0 == pair.first && $1 == pair.last }
    }
}
