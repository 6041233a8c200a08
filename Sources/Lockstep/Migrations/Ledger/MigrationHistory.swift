/// The migrations that a database records.
public struct MigrationHistory: Sendable, Equatable {
    /// The applied migrations, in the order of application.
    public let entries: [LedgerEntry]
    /// The migrations that were started but not finished.
    public let unfinished: [UnfinishedMigration]
    /// The repeatable migrations as they last ran.
    public let repeated: [RepeatedMigration]

    /// Creates a history from its parts.
    public init(
        entries: [LedgerEntry] = [], unfinished: [UnfinishedMigration] = [],
        repeated: [RepeatedMigration] = []
    ) {
        self.entries = entries
        self.unfinished = unfinished
        self.repeated = repeated
    }
}
