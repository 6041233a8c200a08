/// `<version>_<name>.sql`, with both ways in it. Every SQL file of the folder must be one.
enum NativeLayout {
    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        for source in sources where source.folder == nil && source.isSQL {
            contents.versions.append(try file(source))
        }
        return contents
    }

    static func file(_ source: MigrationSource) throws(LockstepError) -> MigrationFile {
        guard let stem = source.stem, let parts = NumberedName(stem), !parts.name.isEmpty,
            let version = MigrationVersion(parts.digits)
        else {
            throw source.malformed(
                "is not named like a migration",
                hint: "name it <version>_<name>.sql, such as 0001_create_tables.sql")
        }
        let sections = MarkedSections(
            upMarker: "-- lockstep: up", downMarker: "-- lockstep: down", isForeign: false)
        let cutter = ScriptCutter(source.path, readsForeignKeyPragmas: false) {
            comment throws(LockstepError) in
            switch Directive.content(of: String(comment.text))?.asciiLowercased {
            case "up": .up(inTransaction: true)
            case "down": .down(inTransaction: true)
            default: nil
            }
        }
        let scripts = try sections.scripts(of: source.text(), cutter)
        return try MigrationFile(
            version, name: parts.name, source, up: scripts.up, down: scripts.down)
    }
}
