/// The results of a rehearsal.
public struct RehearsalReport: Sendable {
    /// A table whose row count a version changed.
    public struct RowChange: Sendable, Hashable {
        /// The table.
        public let table: String
        /// Its rows before; nil if the version created the table.
        public let before: Int?
        /// Its rows afterwards; nil if the version dropped or renamed the table.
        public let after: Int?

        package init(table: String, before: Int?, after: Int?) {
            (self.table, self.before, self.after) = (table, before, after)
        }
    }

    /// One version that was applied to the copy, or undone.
    public struct Step: Sendable, Hashable {
        /// The set it belongs to.
        public let set: String
        /// Its version.
        public let version: MigrationVersion
        /// Its name.
        public let name: String
        /// Whether it was applied and not undone.
        public let isUp: Bool
        /// How many statements ran.
        public let statements: Int
        /// How long it took, including checks. The real run keeps other writers waiting this long, on this machine
        /// and at its present load.
        public let duration: Duration
        /// The tables whose row counts changed, by name.
        public let rows: [RowChange]
        /// What happened to the rows that each table had, by name; empty on a server. Of a backfill's batches, the
        /// first is compared.
        public let effects: [TableEffects]

        /// - Parameter step: The step as the run reports it.
        package init(_ step: MigrationReport.Step, _ rows: [RowChange], _ effects: [TableEffects] = []) {
            (set, version, name, isUp) = (step.set, step.version, step.name, step.isUp)
            (statements, duration, self.rows, self.effects) = (step.statements, step.duration, rows, effects)
        }
    }

    /// Makes an empty report. Its time begins.
    package init() {}

    /// The steps in the order in which they ran; if one failed, those before it.
    public package(set) var steps: [Step] = []
    /// Problems that did not stop the migration.
    public package(set) var notices: [LockstepError] = []
    /// Why the next version failed; nil if all succeeded.
    public package(set) var failure: LockstepError?
    /// The verification of the copy afterwards; nil if a version failed, or none was pending.
    public package(set) var verification: VerificationReport?
    /// The checks that fail in the copy but not in the original.
    public package(set) var newFailures: [VerificationReport.Check] = []
    /// The size of the file before, in bytes.
    public package(set) var bytesBefore = 0
    /// The size of the file after, in bytes, including pages that became free.
    public package(set) var bytesAfter = 0
    /// The size that its write-ahead log reached, in bytes. The real run needs it beside the file.
    public package(set) var logBytes = 0
    /// How long it took to make the copy.
    public package(set) var copyDuration = Duration.zero
    /// When the rehearsal began, and how long it took.
    public package(set) var time = JobTime()

    /// Whether every version succeeded, and no check fails afterwards that passed before.
    public var isClean: Bool { failure == nil && newFailures.isEmpty }
    /// How long the real run keeps other writers waiting at a time: its longest version.
    public var longestLock: Duration { steps.map(\.duration).max() ?? .zero }
    /// How long the real run keeps other writers waiting in all.
    public var totalLock: Duration { steps.map(\.duration).reduce(.zero, +) }
}
