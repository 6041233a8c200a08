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
    /// The name of the rule that found it, such as `drop-table`. Names are stable; <doc:Migrating> lists them.
    public var rule: String { kind.rawValue }
    let kind: LintRule
    /// The file.
    public let file: String
    /// The line where the statement begins; 0 for the file as a whole.
    public let line: Int
    /// The finding.
    public let message: String
    /// The suggested action.
    public var hint: String? { advice?.text }
    /// The suggested action, with the actions that it names.
    package let advice: LockstepError.Advice?
    /// The declaration under which the finding is no error.
    var declaration: Directive?
    /// Whether the message begins with the place.
    package let isLocated: Bool

    /// The finding that a run would fail with this error, whose message begins with its place.
    package init(refused error: LockstepError) {
        self.init(.error, .refused, error)
    }

    init(_ level: Level, _ rule: LintRule, _ error: LockstepError) {
        self.init(
            level, rule, error.context.file ?? "", error.context.line ?? 0, error.message,
            advice: error.advice, isLocated: true)
    }

    package init(
        _ level: Level, _ rule: LintRule, _ file: String, _ line: Int, _ message: String,
        hint: String?
    ) {
        self.init(level, rule, file, line, message, advice: .init(ifAny: hint))
    }

    init(
        _ level: Level, _ rule: LintRule, _ file: String, _ line: Int, _ message: String,
        advice: LockstepError.Advice?, isLocated: Bool = false
    ) {
        self.level = level
        kind = rule
        self.file = file
        self.line = line
        self.message = message
        self.advice = advice
        self.isLocated = isLocated
    }
}
