/// What a database remembers of migrations.
public struct MigrationHistory: Sendable, Equatable {
    /// What was applied, in the order of application.
    public let entries: [LedgerEntry]
    /// What was begun and not ended.
    public let unfinished: [UnfinishedMigration]
    /// What ran as often as it had changed.
    public let repeated: [RepeatedMigration]

    /// A history of these.
    public init(
        entries: [LedgerEntry] = [], unfinished: [UnfinishedMigration] = [],
        repeated: [RepeatedMigration] = []
    ) {
        self.entries = entries
        self.unfinished = unfinished
        self.repeated = repeated
    }
}
