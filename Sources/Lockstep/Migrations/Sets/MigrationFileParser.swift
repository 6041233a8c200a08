/// Reads scripts that hold nothing but SQL and directives.
enum MigrationFileParser {
    /// Reads a script of the native layout on its own: the way down as the ledger recorded it.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` with name and line.
    static func parseScript(_ text: String, _ name: String) throws(LockstepError) -> MigrationScript
    {
        var cutter = ScriptCutter(name, readsForeignKeyPragmas: false) {
            _ throws(LockstepError) in nil
        }
        return MigrationScript(try cutter.cut(text), line: 1)
    }

    /// Reads a file of another layout that is a script as a whole.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` with file and line, also for a marker that would
    ///   have parted it in the layout that it belongs to.
    static func parseWhole(
        _ source: MigrationSource, as layout: MigrationLayout, inTransaction: Bool = true
    ) throws(LockstepError) -> MigrationScript {
        var cutter = ScriptCutter(source.path, readsForeignKeyPragmas: true) {
            comment throws(LockstepError) in
            guard let owner = MarkerOwner(of: comment.text) else { return nil }
            throw comment.malformed(
                "this is a marker of \(owner.name), and the file is read as one of \(layout.rawValue)",
                hint: owner.layout.map { "read the folder as it is: --layout \($0.rawValue)" }
                    ?? "put the ways up and down into files of their own")
        }
        let pieces = try cutter.cut(source.text())
        return MigrationScript(
            pieces, line: 1,
            implied: MigrationScript.implied(
                by: pieces, isForeign: true, inTransaction: inTransaction))
    }
}
