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
        /// The duration in microseconds, including checks, without ``waited``.
        public let duration: Int64
        /// Microseconds of waiting for another connection's write lock.
        public let waited: Int64
    }

    /// A repeatable migration that ran.
    public struct Repeated: Sendable, Equatable {
        /// The set it belongs to.
        public let set: String
        /// Its name.
        public let name: String
        /// The number of statements that ran.
        public let statements: Int
        /// The duration in microseconds, including checks, without ``waited``.
        public let duration: Int64
        /// Microseconds of waiting for another connection's write lock.
        public let waited: Int64
    }

    /// Creates an empty report.
    public init() {}

    /// The steps, in order of execution.
    public internal(set) var steps: [Step] = []
    /// The repeatable migrations that ran, in order of execution.
    public internal(set) var repeated: [Repeated] = []
    /// Problems that did not prevent the run, and the effects of versions that a directive allowed, such as lost
    /// rows.
    public internal(set) var notices: [LockstepError] = []
}
