/// `<version>_<name>.sql`, with both ways in the file. Every SQL file in the folder must have this form.
enum NativeLayout: LayoutRules {
    static let allowsGaps = false
    static let firstVersion: String? = "0001"

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        contents.versions = try Parallel.map(sources.filter { $0.folder == nil && $0.isSQL }, share: filesWorthAThread)
        { source throws(LockstepError) in try file(source) }
        return contents
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        [("\(version)_\(name).sql", "-- lockstep: up\n\n-- lockstep: down\n\n")]
    }

    /// Parsing a file takes about a tenth of the time that starting a thread takes.
    private static let filesWorthAThread = 128

    static func file(_ source: MigrationSource) throws(LockstepError) -> MigrationFile {
        guard let stem = source.stem.map({ EngineVariants.withoutEngine($0).stem }), let parts = NumberedName(stem),
            !parts.name.isEmpty, let version = MigrationVersion(parts.digits)
        else {
            throw source.malformed(
                "is not named like a migration", hint: "name it <version>_<name>.sql, such as 0001_create_tables.sql")
        }
        let sections = MarkedSections(upMarker: "-- lockstep: up", downMarker: "-- lockstep: down", isForeign: false)
        let cutter = ScriptSplitter(
            source.origin, source.engine.lexis, readsForeignKeyPragmas: false
        ) { comment throws(LockstepError) in
            switch Directive.content(of: String(comment.text))?.asciiLowercased {
            case "up": .up(inTransaction: true)
            case "down": .down(inTransaction: true)
            default: nil
            }
        }
        let scripts = try sections.scripts(of: source.text(), cutter)
        return try MigrationFile(version, name: parts.name, source, up: scripts.up, down: scripts.down)
    }
}
