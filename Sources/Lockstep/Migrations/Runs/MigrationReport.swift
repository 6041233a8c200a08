/// The result of a migration run.
public struct MigrationReport: Sendable, Equatable {
    /// A version that was applied or undone.
    public struct Step: Sendable, Equatable {
        /// The set it belongs to.
        public let set: String
        /// Its version.
        public let version: MigrationVersion
        /// Its name.
        public let name: String
        /// Whether it was applied; false if it was undone.
        public let isUp: Bool
        /// The number of statements that ran.
        public let statements: Int
        /// How long it took, including checks, without ``waited``.
        public let duration: Duration
        /// How long it waited for another connection's write lock.
        public let waited: Duration
        /// What happened to the rows of each table; empty unless ``Migrator/reportsEffects`` asks for it.
        public package(set) var effects: [TableEffects] = []

        package init(
            set: String, version: MigrationVersion, name: String, isUp: Bool, statements: Int,
            duration: Duration, waited: Duration
        ) {
            (self.set, self.version, self.name, self.isUp) = (set, version, name, isUp)
            (self.statements, self.duration, self.waited) = (statements, duration, waited)
        }
    }

    /// A repeatable migration that ran.
    public struct Repeated: Sendable, Equatable {
        /// The set it belongs to.
        public let set: String
        /// Its name.
        public let name: String
        /// The number of statements that ran.
        public let statements: Int
        /// How long it took, including checks, without ``waited``.
        public let duration: Duration
        /// How long it waited for another connection's write lock.
        public let waited: Duration

        package init(set: String, name: String, statements: Int, duration: Duration, waited: Duration) {
            (self.set, self.name, self.statements) = (set, name, statements)
            (self.duration, self.waited) = (duration, waited)
        }
    }

    /// Creates an empty report. Its time begins.
    public init() {}

    /// When the run began, or the first of several with this report, and how long it took.
    public package(set) var time = JobTime()
    /// The steps, in order of execution.
    public package(set) var steps: [Step] = []
    /// The repeatable migrations that ran, in order of execution.
    public package(set) var repeated: [Repeated] = []
    /// Problems that did not prevent the run, and the effects of versions that a directive allowed, such as lost
    /// rows.
    public package(set) var notices: [LockstepError] = []
}
