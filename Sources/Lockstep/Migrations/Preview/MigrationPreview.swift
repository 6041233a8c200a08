/// What a migration run would do, statement by statement, and what should give one pause: without touching
/// the database, which is only read.
///
/// Every script is tried on an empty copy of the schema in memory, so that what SQLite or the checks would
/// refuse is found beforehand. What depends on the rows themselves only a rehearsal finds.
public struct MigrationPreview: Sendable, Equatable {
    /// One statement of a script.
    public struct Statement: Sendable, Equatable {
        /// The line of the file on which it begins.
        public let line: Int
        /// Its text as it stands in the file.
        public let sql: String
    }

    /// One version that would be applied or undone, or a repeatable migration that would run.
    public struct Step: Sendable, Equatable {
        /// Its version; nil for a repeatable migration.
        public let version: MigrationVersion?
        /// Its name.
        public let name: String
        /// Its file, or what else stands for it in messages.
        public let title: String
        /// Whether it leads forward.
        public let isUp: Bool
        /// Its statements, as far as they could be tried; empty for code.
        public let statements: [Statement]
    }

    /// The set's name.
    public let set: String
    /// What would be run, in this order.
    public let steps: [Step]
    /// What is wrong with files and ledger.
    public let planFindings: [Plan.Finding]
    /// What is wrong with, or to be known of, what would be run.
    public let lint: [LintFinding]

    /// Whether something stands in the way of running.
    public var isBlocked: Bool {
        planFindings.contains(where: \.isFatal) || lint.contains { $0.level == .error }
    }
}

extension Migrator {
    /// What ``run(_:on:)`` would do, and what is questionable about it.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` and what reading the database throws; what is wrong
    ///   with the migrations themselves is in the result.
    public func preview(
        _ target: Plan.Target = .latest, on connection: borrowing Connection
    ) throws -> MigrationPreview {
        let plan = try plan(target, on: connection)
        var trial = try MigrationTrial.make(copying: connection)
        for step in plan.steps { try trial.run(step, of: set, connection) }
        for file in plan.repeatables {
            try trial.run(
                file.up, version: nil, file.name, "\(set.name)/\(file.fileName)", isUp: true,
                connection)
        }
        return MigrationPreview(
            set: set.name, steps: trial.steps, planFindings: plan.findings, lint: trial.lint)
    }
}
