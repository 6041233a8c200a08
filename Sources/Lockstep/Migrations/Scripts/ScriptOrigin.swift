/// Where a script comes from: its name in messages, and the same for programs.
package struct ScriptOrigin: Sendable, Equatable {
    /// The name in messages, such as `movies/0003_add_ratings.sql`.
    package let title: String
    let context: LockstepError.Context

    init(_ title: String, _ context: LockstepError.Context) {
        (self.title, self.context) = (title, context)
    }

    /// A file, by its path in the folder of its set.
    init(file: String) { self.init(file, .init(file: file)) }

    /// The error for a line that breaks a rule.
    package func malformed(_ what: String, line: Int, hint: String) -> LockstepError {
        malformed(what, line: line, advice: .init(hint))
    }

    /// The same with a hint that names actions.
    func malformed(
        _ what: String, line: Int, advice: LockstepError.Advice
    ) -> LockstepError {
        located(LockstepError(.migrationMalformed, what, advice: advice), line: line)
    }

    /// The same error with its place in the script.
    /// - Parameter line: Nil for an error of the script as a whole.
    package func located(
        _ error: LockstepError, line: Int? = nil, advice: LockstepError.Advice? = nil
    ) -> LockstepError {
        var context = context
        context.line = line
        return error.located(line.map { "\(title):\($0)" } ?? title, advice: advice, context: context)
    }

    /// Whether the error names its place in this script.
    func hasLocated(_ error: LockstepError) -> Bool {
        error.context.completed(by: context) == error.context
    }
}

extension LockstepError.Context {
    /// The context of an error about a version of a set, and its file if there is one.
    init(set: String, _ version: MigrationVersion, file: String? = nil) {
        self.init(file: file, set: set, version: version == .unversioned ? nil : version.description)
    }
}
