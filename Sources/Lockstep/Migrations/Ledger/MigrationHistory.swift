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

extension MigrationHistory {
    /// A version is either applied or being applied, and only an applied version can be in the process of being
    /// undone.
    /// - Throws: ``LockstepError/Code/tampered``.
    package func requireConsistent() throws(LockstepError) {
        for unfinished in unfinished {
            let entry = entries.first { $0.set == unfinished.set && $0.version == unfinished.version }
            let fits =
                unfinished.isUp
                ? entry == nil
                : entry.map {
                    $0.name.hasSameBytes(as: unfinished.name) && $0.checksums == unfinished.checksums
                        && $0.down.hasSameBytes(as: unfinished.down)
                } ?? false
            guard fits else {
                throw LockstepError(
                    .tampered,
                    "version \(unfinished.version) is recorded as unfinished, which contradicts the ledger",
                    hint: LedgerRows.restoreHint, context: .init(set: unfinished.set, unfinished.version))
            }
        }
    }
}
