/// A migration set beside what the database remembers of it.
struct PlanState {
    let set: MigrationSet
    /// All versions of the set, ascending.
    let migrations: [Migration]
    /// What is in the ledger of this set, in the order of application.
    let applied: [LedgerEntry]
    /// Versions that were being applied, and have left something that is not in the ledger.
    let begun: [UnfinishedMigration]
    /// Versions that were being undone, and are still in the ledger.
    let halfUndone: [UnfinishedMigration]
    /// What ran of the repeatable migrations of this set.
    let repeated: [RepeatedMigration]

    /// Something that can be undone.
    enum Applied {
        case whole(LedgerEntry)
        case begun(UnfinishedMigration)

        var version: MigrationVersion {
            switch self {
            case .whole(let entry): entry.version
            case .begun(let unfinished): unfinished.version
            }
        }

        /// The way down as it was recorded.
        var down: String? {
            switch self {
            case .whole(let entry): entry.down
            case .begun(let unfinished): unfinished.down
            }
        }
    }

    /// - Parameter target: The version that is wished for, if one is.
    init(_ set: MigrationSet, _ history: MigrationHistory, upTo target: MigrationVersion?) {
        let applied = history.entries.filter { $0.set == set.name }
            .sorted { $0.position < $1.position }
        self.applied = applied
        // A baseline may stand for the versions up to its own.
        self.set = set.applicable(to: applied, upTo: target)
        migrations = self.set.migrations
        let unfinished = history.unfinished.filter { $0.set == set.name }
        begun = unfinished.filter(\.isUp)
        halfUndone = unfinished.filter { !$0.isUp }
        repeated = history.repeated.filter { $0.set == set.name }
    }

    /// What is not in the ledger, ascending; what was begun comes first.
    var pending: [Migration] {
        let done = Set(applied.map(\.version))
        let waiting = migrations.filter { !done.contains($0.version) }
        guard !begun.isEmpty else { return waiting }
        let first = Set(begun.map(\.version))
        return waiting.filter { first.contains($0.version) }
            + waiting.filter { !first.contains($0.version) }
    }

    /// What can be undone, oldest first; what was begun is the newest.
    var undoable: [Applied] { applied.map(Applied.whole) + begun.map(Applied.begun) }

    /// The set's migrations of these versions, ascending.
    func migrations(in versions: [MigrationVersion]) -> [Migration] {
        let wanted = Set(versions)
        return migrations.filter { wanted.contains($0.version) }
    }

    /// Repeatable migrations that never ran, or have changed since, by name.
    var changedRepeatables: [MigrationFile] {
        let known = Dictionary(repeated.map { ($0.name, $0.checksums.tokens) }) { $1 }
        return set.repeatables.filter { known[$0.name] != $0.checksums.tokens }
    }

    /// Repeatable migrations that ran, and whose files are gone.
    var goneRepeatables: [String] {
        let names = Set(set.repeatables.map(\.name))
        return repeated.map(\.name).filter { !names.contains($0) }
    }
}
