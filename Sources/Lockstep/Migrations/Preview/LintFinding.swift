/// A finding about a migration before it runs.
public struct LintFinding: Sendable, Equatable {
    /// The severity.
    public enum Level: String, Sendable, CaseIterable {
        /// The migration would be refused or would break something: do not run it.
        case error
        /// It can lose data, or break programs that use the old schema.
        case warning
        /// It takes long, or restricts later changes.
        case note
    }

    /// The severity.
    public let level: Level
    /// The rule that found it, such as `drop-table`; the name is stable, for programs.
    public let rule: String
    /// The file.
    public let file: String
    /// The line where the statement begins; 0 for the file as a whole.
    public let line: Int
    /// The finding.
    public let message: String
    /// The suggested action.
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
