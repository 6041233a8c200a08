/// A migration set together with its history in the database.
struct PlanState {
    let set: MigrationSet
    /// All versions of the set, in ascending order.
    let migrations: [Migration]
    /// The ledger entries of this set, in the order of application.
    let applied: [LedgerEntry]
    /// Versions that were being applied: parts of them ran, but they are not in the ledger.
    let begun: [UnfinishedMigration]
    /// Versions that were being undone and are still in the ledger.
    let halfUndone: [UnfinishedMigration]
    /// The repeatable migrations of this set as they last ran.
    let repeated: [RepeatedMigration]
    /// The name under which the database records the files of this set, if it records nothing of the set's own name.
    let formerName: String?

    /// An applied or partly applied version, which can be undone.
    enum Applied {
        case whole(LedgerEntry)
        case begun(UnfinishedMigration)

        var version: MigrationVersion {
            switch self {
            case .whole(let entry): entry.version
            case .begun(let unfinished): unfinished.version
            }
        }

        /// The recorded way down.
        var down: String? {
            switch self {
            case .whole(let entry): entry.down
            case .begun(let unfinished): unfinished.down
            }
        }
    }

    /// - Parameter target: The target version, if there is one.
    init(_ set: MigrationSet, _ history: MigrationHistory, upTo target: MigrationVersion?) {
        let applied = history.entries.filter { $0.set == set.name }
            .sorted { $0.position < $1.position }
        self.applied = applied
        // A baseline can replace the versions up to its own.
        self.set = set.applicable(to: applied, upTo: target)
        migrations = self.set.migrations
        let unfinished = history.unfinished.filter { $0.set == set.name }
        begun = unfinished.filter(\.isUp)
        halfUndone = unfinished.filter { !$0.isUp }
        repeated = history.repeated.filter { $0.set == set.name }
        formerName = applied.isEmpty && unfinished.isEmpty ? Self.formerName(migrations, history.entries) : nil
    }

    /// The set all of whose recorded versions have the same text as these, if the text makes tables: two sets of such files
    /// cannot be in one database.
    private static func formerName(_ migrations: [Migration], _ entries: [LedgerEntry]) -> String? {
        Dictionary(grouping: entries) { ExactText($0.set) }.filter { _, entries in
            let same = entries.compactMap { entry in
                migrations.first { $0.version == entry.version && $0.checksums.text == entry.checksums.text }
            }
            return same.count == entries.count && same.contains(where: \.makesTable)
        }.keys.min()?.text
    }

    /// The versions that are not in the ledger, in ascending order, with unfinished ones first.
    var pending: [Migration] {
        let done = Set(applied.map(\.version))
        let waiting = migrations.filter { !done.contains($0.version) }
        guard !begun.isEmpty else { return waiting }
        let first = Set(begun.map(\.version))
        return waiting.filter { first.contains($0.version) } + waiting.filter { !first.contains($0.version) }
    }

    /// The versions that can be undone, oldest first; unfinished ones are the newest.
    var undoable: [Applied] { applied.map(Applied.whole) + begun.map(Applied.begun) }

    /// The set's migrations of these versions, in ascending order.
    func migrations(in versions: [MigrationVersion]) -> [Migration] {
        let wanted = Set(versions)
        return migrations.filter { wanted.contains($0.version) }
    }

    /// Repeatable migrations that never ran or have changed since they ran, compared by name.
    var changedRepeatables: [MigrationFile] {
        let known = Dictionary(repeated.map { (ExactText($0.name), $0.checksums.tokens) }) { $1 }
        return set.repeatables.filter { known[ExactText($0.name)] != $0.checksums.tokens }
    }

    /// Repeatable migrations that ran, but whose files are gone.
    var goneRepeatables: [String] {
        let names = Set(set.repeatables.map { ExactText($0.name) })
        return repeated.map(\.name).filter { !names.contains(ExactText($0)) }
    }
}

extension Migration {
    /// Whether it makes a table, and not only if there is none: it cannot run twice.
    fileprivate var makesTable: Bool {
        guard case .file(let file) = self else { return false }
        let bytes = Array(file.up.text.utf8)
        let words = SQLTokens(bytes, from: 0, file.lexis).filter { $0.kind == .word }.map { token in
            SQLName(String(decoding: bytes[token.range], as: UTF8.self))
        }
        return words.indices.dropLast().contains { place in
            words[place] == "create" && words[place + 1] == "table"
                && !(place + 2 < words.count && words[place + 2] == "if")
        }
    }
}
