/// A column that a database must have sealed, as the versions say that it has applied: what a migration set declares by
/// `protect`, held against what the file proves.
public struct SealedExpectation: Sendable, Hashable {
    /// The dataset, as the directive names it.
    public let dataset: String
    /// The table.
    public let table: String
    /// The column of it.
    public let column: String
    /// Whether the column is called so still: a later version may have renamed or dropped it.
    let isNamed: Bool

    var title: String { "\(table).\(column)" }
}

/// What migration sets declare as sealed.
enum SealedExpectations {
    /// The columns that the applied versions of a set have sealed and not unsealed since, in their order.
    static func of(_ set: MigrationSet, _ history: MigrationHistory) -> [SealedExpectation] {
        let state = PlanState(set, history, upTo: nil)
        // What is half undone may be unsealed already.
        let undecided = Set((state.halfUndone + state.begun).map(\.version))
        let applied = Set(state.applied.map(\.version)).subtracting(undecided)
        var expected: [SealedExpectation] = []
        for case .file(let file) in state.migrations where applied.contains(file.version) {
            take(file.up, into: &expected)
        }
        return expected
    }

    /// Whether a version that seals a column of this dataset has yet to be applied, or was begun.
    static func isPending(
        _ dataset: String?, in set: MigrationSet, _ history: MigrationHistory
    ) -> Bool {
        let state = PlanState(set, history, upTo: nil)
        return (state.pending + state.migrations(in: state.halfUndone.map(\.version))).contains {
            guard case .file(let file) = $0 else { return false }
            return sealings(file.up).contains { $0.dataset == dataset && $0.isProtection }
        }
    }

    /// Whether any version of a set seals a column, or has.
    static func concern(_ set: MigrationSet) -> Bool {
        set.files.contains { !sealings($0.up).isEmpty }
            || set.baselines.contains { !sealings($0.up).isEmpty }
    }

    private static func sealings(_ script: MigrationScript) -> [SealingDirective] {
        script.items.compactMap {
            if case .directive(.sealing(let sealing)) = $0.content { sealing } else { nil }
        }
    }

    private static func take(_ script: MigrationScript, into expected: inout [SealedExpectation]) {
        guard !expected.isEmpty || !sealings(script).isEmpty else { return }
        for item in script.items {
            switch item.content {
            case .directive(.sealing(let sealing)):
                let (table, column) = (sealing.change.table, sealing.change.column)
                let expectation = SealedExpectation(
                    dataset: sealing.dataset, table: table, column: column, isNamed: true)
                switch sealing.change.goal {
                case .protect: expected.append(expectation)
                case .unprotect: forget(expectation, &expected)
                case .reseal: break
                }
            case .directive(.rebuild(let table)): forget([table.asciiLowercased], &expected)
            case .sql(let sql): forget(renaming(sql), &expected)
            case .directive: break
            }
        }
    }

    /// A column that is unsealed under a name that it did not have when it was sealed is one of those that were renamed:
    /// which one, the files do not say.
    private static func forget(_ unsealed: SealedExpectation, _ expected: inout [SealedExpectation])
    {
        let before = expected.count
        expected.removeAll { $0.title.asciiLowercased == unsealed.title.asciiLowercased }
        guard expected.count == before else { return }
        expected.removeAll { $0.dataset == unsealed.dataset && !$0.isNamed }
    }

    /// The words of SQL that may rename or drop what it mentions; none otherwise.
    private static func renaming(_ sql: String) -> Set<String> {
        let bytes = Array(sql.utf8)
        let words = SQLTokens(sql).filter {
            $0.kind == .word || $0.kind == .quotedName || $0.kind == .string
        }.map {
            SQLTokens.unquote(String(decoding: bytes[$0.range], as: UTF8.self)).asciiLowercased
        }
        let found = Set(words)
        return found.isDisjoint(with: ["rename", "drop"]) ? [] : found
    }

    /// Columns of tables that are mentioned so may be called otherwise from then on.
    private static func forget(_ words: Set<String>, _ expected: inout [SealedExpectation]) {
        guard !words.isEmpty else { return }
        expected = expected.map { one in
            guard words.contains(one.table.asciiLowercased) else { return one }
            return SealedExpectation(
                dataset: one.dataset, table: one.table, column: one.column, isNamed: false)
        }
    }
}

extension SealedExpectations {
    /// What the file lacks of what sets say: proven where the connection has the keys of a dataset, and as anybody may
    /// claim where it has not.
    static func missing(
        _ expected: [SealedExpectation], _ connection: borrowing Connection
    ) throws -> [SealedExpectation] {
        guard !expected.isEmpty else { return [] }
        let claimed = try RegistryTables.claimed(connection)
        var missing: [SealedExpectation] = []
        for one in expected {
            let columns =
                if let keys = connection.sealed?.keys(named: one.dataset) {
                    try RegistryTables.read(keys, connection)?.columns.filter {
                        $0.state != .plaintext
                    } ?? []
                } else {
                    claimed
                }
            let isThere =
                one.isNamed
                ? columns.contains {
                    "\($0.table).\($0.name)".asciiLowercased == one.title.asciiLowercased
                } : !columns.isEmpty
            if !isThere { missing.append(one) }
        }
        return missing
    }

    /// Goes on only where the file has sealed what the applied versions of a set say.
    /// - Throws: ``LockstepError/Code/registryMissing``.
    static func require(
        _ set: MigrationSet, _ history: MigrationHistory, _ connection: borrowing Connection
    ) throws {
        let missing = try missing(of(set, history), connection)
        guard let first = missing.first else { return }
        throw error(first, set)
    }

    static func error(_ expectation: SealedExpectation, _ set: MigrationSet) -> LockstepError {
        LockstepError(
            .registryMissing,
            "the set \(set.name) has sealed \(expectation.title) for the dataset \(expectation.dataset), and the "
                + "file does not say so any more",
            hint:
                "somebody who can open the database removed that; `lockstep verify --fields` shows more; "
                + "restore the database from a backup")
    }
}

extension Store {
    /// Goes on only where the file has sealed what the applied versions of the sets say, and holds the store to it from
    /// then on: what every connection relies on that it opens later.
    /// - Throws: ``LockstepError/Code/registryMissing``; ``LockstepError/Code/closed``.
    public func requireSealed(by sets: MigrationSet...) throws {
        let named = try read { connection in
            let history = try Ledger.history(connection)
            var named: [String] = []
            for set in sets {
                try SealedExpectations.require(set, history, connection)
                named += SealedExpectations.of(set, history).filter(\.isNamed).filter {
                    connection.sealed?.keys(named: $0.dataset) != nil
                }.map(\.title)
            }
            return named
        }
        (source.options.connection.addition as? SealedFields)?.proof?.relied = named
    }
}
