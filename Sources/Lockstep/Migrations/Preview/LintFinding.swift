/// Something about a migration that is worth knowing before it runs.
public struct LintFinding: Sendable, Equatable {
    /// How grave it is.
    public enum Level: String, Sendable, CaseIterable {
        /// It would be refused, or would break something: it should not run.
        case error
        /// It may lose data, or break programs that know the old schema.
        case warning
        /// It takes long, or limits what can be done later.
        case note
    }

    /// How grave it is.
    public let level: Level
    /// Which rule found it, such as `drop-table`; stable, for programs.
    public let rule: String
    /// The file.
    public let file: String
    /// The line on which the statement begins; 0 for the file as a whole.
    public let line: Int
    /// What it is.
    public let message: String
    /// What to do about it.
    public let hint: String?

    init(
        _ level: Level, _ rule: String, _ file: String, _ line: Int, _ message: String,
        hint: String?
    ) {
        self.level = level
        self.rule = rule
        self.file = file
        self.line = line
        self.message = message
        self.hint = hint
    }
}
