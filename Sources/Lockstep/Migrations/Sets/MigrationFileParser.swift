/// Reads scripts that contain only SQL and directives.
enum MigrationFileParser {
    /// Reads a single script of the native layout: the way down that the ledger recorded.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` with name and line.
    static func parseScript(
        _ text: String, _ origin: ScriptOrigin, _ lexis: Lexis = .sqlite
    ) throws(LockstepError) -> MigrationScript {
        var cutter = ScriptSplitter(origin, lexis, readsForeignKeyPragmas: false, isDown: true) {
            _ throws(LockstepError) in nil
        }
        return MigrationScript(try cutter.cut(text), line: 1)
    }

    /// Reads a file of another layout that is one script.
    /// - Parameter marker: The meaning of a comment that cuts nothing, such as one that ends a statement.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` with file and line, also for a marker that divides the
    ///   file in the layout that the marker belongs to, and for a comment that divides it in no layout but looks so.
    static func parseWhole(
        _ source: MigrationSource, as layout: MigrationLayout, inTransaction: Bool = true,
        isDown: Bool = false,
        marker: @escaping (Substring) -> ScriptSplitter.Marker? = { _ in nil }
    ) throws(LockstepError) -> MigrationScript {
        var cutter = ScriptSplitter(
            source.origin, source.engine.lexis, readsForeignKeyPragmas: true, isDown: isDown
        ) { comment throws(LockstepError) in
            if let marker = marker(comment.text) { return marker }
            guard let owner = MarkerOwner(of: comment.text) else { return nil }
            throw comment.malformed(
                "this is a marker of \(owner.name), but the file is read as \(layout.rawValue)",
                advice: owner.layout.map { "read the folder with \(.layout($0.rawValue))" }
                    ?? "put the way up and the way down into separate files")
        }
        let pieces = try cutter.cut(source.text())
        return MigrationScript(
            pieces, line: 1,
            implied: MigrationScript.implied(
                by: pieces, isForeign: true, source.engine.lexis, inTransaction: inTransaction))
    }
}
