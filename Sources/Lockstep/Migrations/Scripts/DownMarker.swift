/// A comment on a line of its own that says, in some tool's words, that the way down begins: `-- Down`, `--- rollback`,
/// `/* Undo */`, `---- create above / drop below ----`.
///
/// A layout knows its own markers. In any other file such a comment is refused if statements follow it: they would run
/// right after the way up and undo it, and everything would agree with the files afterwards.
struct DownMarker {
    let line: Int
    /// The comment as it is written.
    let text: String

    /// Nil for any other comment.
    /// - Parameter comment: The comment, with what begins and ends it.
    init?(_ comment: some StringProtocol, line: Int) {
        // Most comments are longer than every marker.
        guard comment.utf8.count < 80 else { return nil }
        let words = comment.asciiLowercased.split { !$0.isLetter && !$0.isNumber }
            .filter { !Self.around.contains($0) }
        guard Self.meanings.contains(words.joined(separator: " ")) else { return nil }
        self.line = line
        text = String(Substring(comment).trimmingSpace())
    }

    /// What can stand around the word for the direction.
    private static let around: Set<Substring> = [
        "migrate", "migration", "migrations", "script", "section", "sql", "statements", "start",
        "starts", "begin", "begins", "here", "way", "the", "create", "above",
    ]

    private static let meanings: Set<String> = [
        "down", "downs", "downgrade", "undo", "rollback", "roll back", "revert", "reverse",
        "backward", "backwards", "drop below", "teardown", "tear down",
    ]

    func refused(_ origin: ScriptOrigin) -> LockstepError {
        origin.malformed(
            "`\(text)` looks as if the way down began here; this layout does not know it, and the statements after it "
                + "would run as a part of the way up",
            line: line,
            advice: """
                put the way down into a file of its own, or after `-- lockstep: down` in a native file, or name the \
                intended layout with \(.nameLayout); if it is only a comment, say more in it
                """)
    }
}
