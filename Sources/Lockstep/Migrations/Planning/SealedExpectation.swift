/// A column that a database must have sealed according to its applied versions: the `protect` directives of a
/// migration set, compared with the sealing that the file proves.
public struct SealedExpectation: Sendable, Hashable {
    /// The dataset named in the directive.
    @Exact public private(set) var dataset: String
    /// The table.
    @Exact public private(set) var table: String
    /// The column in the table.
    @Exact public private(set) var column: String
    /// Whether the column still has this name; false if a later version can have renamed or dropped it.
    let isNamed: Bool

    var title: String { "\(table).\(column)" }
}

/// The columns that migration sets declare as sealed.
package enum SealedExpectations {
    /// The columns that the applied versions of a set have sealed and not unsealed since, in order.
    static func of(_ set: MigrationSet, _ history: MigrationHistory) -> [SealedExpectation] {
        let state = PlanState(set, history, upTo: nil)
        // A partly undone version can already have unsealed the column.
        let undecided = Set((state.halfUndone + state.begun).map(\.version))
        let applied = Set(state.applied.map(\.version)).subtracting(undecided)
        var expected: [SealedExpectation] = []
        for case .file(let file) in state.migrations where applied.contains(file.version) {
            take(file.up, into: &expected)
        }
        return expected
    }

    /// Whether a version that seals a column of this dataset is pending or unfinished.
    static func isPending(
        _ dataset: String?, in set: MigrationSet, _ history: MigrationHistory
    ) -> Bool {
        let state = PlanState(set, history, upTo: nil)
        return (state.pending + state.migrations(in: state.halfUndone.map(\.version))).contains {
            guard case .file(let file) = $0 else { return false }
            return sealings(file.up).contains { $0.dataset == dataset && $0.isProtection }
        }
    }

    /// Whether any version of a set seals, unseals or reseals a column.
    package static func concern(_ set: MigrationSet) -> Bool {
        set.files.contains { !sealings($0.up).isEmpty } || set.baselines.contains { !sealings($0.up).isEmpty }
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
            case .directive(.rebuild(let table)): forget([SQLName(table)], &expected)
            case .sql(let sql): forget(renaming(sql), &expected)
            case .directive: break
            }
        }
    }

    /// Unsealing a column under a name that was never sealed means that the column was renamed. The files do not
    /// say which column it was.
    private static func forget(_ unsealed: SealedExpectation, _ expected: inout [SealedExpectation]) {
        let before = expected.count
        expected.removeAll { SQLName($0.title) == SQLName(unsealed.title) }
        guard expected.count == before else { return }
        expected.removeAll { $0.dataset == unsealed.dataset && !$0.isNamed }
    }

    /// The words of SQL that can rename or drop the objects it mentions; empty for any other SQL.
    private static func renaming(_ sql: String) -> Set<SQLName> {
        let found = SQLTokens.names(in: sql)
        return found.isDisjoint(with: ["rename", "drop"]) ? [] : found
    }

    /// From here on, columns of the mentioned tables can have other names.
    private static func forget(_ words: Set<SQLName>, _ expected: inout [SealedExpectation]) {
        guard !words.isEmpty else { return }
        expected = expected.map { one in
            guard words.contains(SQLName(one.table)) else { return one }
            return SealedExpectation(dataset: one.dataset, table: one.table, column: one.column, isNamed: false)
        }
    }
}

extension SealedExpectations {
    /// The expected columns that a database does not have sealed.
    /// - Parameters:
    ///   - claimed: The columns that it claims to have sealed, which anyone can forge: they count for datasets whose
    ///     keys were not given.
    ///   - proven: The columns of a dataset that its keys prove; nil without them.
    static func missing(
        _ expected: [SealedExpectation], claimed: () throws -> [SealedColumn],
        proven: (_ dataset: String) throws -> [SealedColumn]?
    ) rethrows -> [SealedExpectation] {
        guard !expected.isEmpty else { return [] }
        let claimed = try claimed()
        return try expected.filter { one in
            let columns = try proven(one.dataset) ?? claimed
            return one.isNamed ? !columns.contains { SQLName($0.title) == SQLName(one.title) } : columns.isEmpty
        }
    }

    /// Checks that the file has sealed the columns that the applied versions of a set declare.
    /// - Throws: ``LockstepError/Code/registryMissing``.
    static func require(_ set: MigrationSet, _ history: MigrationHistory, _ connection: borrowing Connection) throws {
        try require(set, history) {
            try RegistryTables.claimed(connection)
        } proven: { dataset in
            try connection.sealed?.keys(named: dataset).map { try RegistryTables.sealed($0, connection) }
        }
    }

    /// The same for a database of any engine, with the parameters of ``missing(_:claimed:proven:)``.
    package static func require(
        _ set: MigrationSet, _ history: MigrationHistory, claimed: () throws -> [SealedColumn],
        proven: (_ dataset: String) throws -> [SealedColumn]?
    ) throws {
        guard let first = try missing(of(set, history), claimed: claimed, proven: proven).first else { return }
        throw error(first, set)
    }

    static func error(_ expectation: SealedExpectation, _ set: MigrationSet) -> LockstepError {
        LockstepError(
            .registryMissing,
            "the set \(set.name) sealed \(expectation.title) for the dataset "
                + "\(expectation.dataset), but the database no longer records that",
            advice: """
                a program with the database's key removed the record; \(.verifyFields) shows more; restore the \
                database from a backup
                """, context: .init(set: set.name, table: expectation.table, column: expectation.column))
    }
}
