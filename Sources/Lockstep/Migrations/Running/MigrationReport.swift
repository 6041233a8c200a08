/// What a migration run did.
public struct MigrationReport: Sendable, Equatable {
    /// One version that was applied or undone.
    public struct Step: Sendable, Equatable {
        /// The set it belongs to.
        public let set: String
        /// Its version.
        public let version: MigrationVersion
        /// Its name.
        public let name: String
        /// Applied, or undone.
        public let isUp: Bool
        /// How many statements ran.
        public let statements: Int
        /// For how long, in microseconds, checks included.
        public let duration: Int64
    }

    /// One repeatable migration that ran.
    public struct Repeated: Sendable, Equatable {
        /// The set it belongs to.
        public let set: String
        /// Its name.
        public let name: String
        /// How many statements ran.
        public let statements: Int
        /// For how long, in microseconds, checks included.
        public let duration: Int64
    }

    /// A report of nothing yet.
    public init() {}

    /// In the order in which they happened.
    public internal(set) var steps: [Step] = []
    /// Repeatable migrations that ran, in their order.
    public internal(set) var repeated: [Repeated] = []
    /// What was not as it should be, without standing in the way; and what a version did that only a
    /// directive allows, such as rows that were lost.
    public internal(set) var notices: [LockstepError] = []
}
