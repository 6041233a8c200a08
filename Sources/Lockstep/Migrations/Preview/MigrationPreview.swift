/// The effect of a migration run, statement by statement, with findings about it. The database itself is only
/// read.
///
/// Every script runs on a copy, so a preview finds what SQLite or the checks would refuse: on an empty copy of the
/// schema in memory, or, if what the scripts do can depend on rows of the tables that they name, on a copy with all
/// rows, in memory up to 64 MiB and beyond that in an encrypted file beside the database, which is removed afterwards.
/// Such a preview takes as long as copying the database and migrating it. On such a copy, for which there are no keys,
/// a column that a script seals gets BLOBs in the form of cells; if a script unseals a column, all of them are tried
/// without rows.
public struct MigrationPreview: Sendable, Equatable {
    /// One statement of a script.
    public struct Statement: Sendable, Equatable {
        /// The line in the file where it begins.
        public let line: Int
        /// Its text as in the file.
        @Exact public private(set) var sql: String

        package init(line: Int, sql: String) { (self.line, self.sql) = (line, sql) }
    }

    /// A version to be applied or undone, or a repeatable migration to be run.
    public struct Step: Sendable, Equatable {
        /// Its version; nil for a repeatable migration.
        public let version: MigrationVersion?
        /// Its name.
        @Exact public private(set) var name: String
        /// Its name in messages: its file, or the name of its code.
        @Exact public private(set) var title: String
        /// Whether it migrates up.
        public let isUp: Bool
        /// Its statements, as far as they could run; empty for code.
        public let statements: [Statement]
        /// What it does to the rows of each table, by name; empty if it was tried without rows.
        public let effects: [TableEffects]

        package init(
            version: MigrationVersion?, name: String, title: String, isUp: Bool, statements: [Statement],
            effects: [TableEffects] = []
        ) {
            (self.version, self.name, self.title) = (version, name, title)
            (self.isUp, self.statements, self.effects) = (isUp, statements, effects)
        }
    }

    /// A declaration that a version needs to run on this database: something is lost or broken that nobody has said is
    /// intended.
    public struct Declaration: Sendable, Hashable, CustomStringConvertible {
        /// The version.
        public let version: MigrationVersion
        /// Whether its way up needs it, and not its way down.
        public let isUp: Bool
        /// The directive, for ``MigrationSet/declaring(_:at:down:)`` or for the file.
        @Exact public private(set) var directive: String

        /// `3: allow loss of table drafts`, or `3 down: …`.
        public var description: String { "\(version)\(isUp ? "" : " down"): \(directive)" }
    }

    /// The name of the set.
    @Exact public private(set) var set: String
    /// The steps, in order.
    public let steps: [Step]
    /// The problems with the files and the ledger.
    public let planFindings: [Plan.Finding]
    /// The findings about the steps.
    public let lint: [LintFinding]

    /// The declarations that the steps lack, in their order. Each belongs to an error in ``lint``; what comes after it
    /// was tried as if it were declared.
    public internal(set) var declarations: [Declaration] = []

    package init(
        set: String, steps: [Step], planFindings: [Plan.Finding], lint: [LintFinding], declarations: [Declaration] = []
    ) {
        (self.set, self.steps, self.planFindings) = (set, steps, planFindings)
        (self.lint, self.declarations) = (lint, declarations)
    }

    /// The same with more findings.
    package func adding(_ findings: [LintFinding]) -> MigrationPreview {
        MigrationPreview(
            set: set, steps: steps, planFindings: planFindings, lint: lint + findings, declarations: declarations)
    }

    /// Whether a finding prevents a run.
    public var isBlocked: Bool {
        planFindings.contains(where: \.isFatal) || lint.contains { $0.level == .error }
    }
}
