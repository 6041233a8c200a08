extension VerificationReport.Check {
    /// The registry of sealed columns is authentic, and the columns' guards are in place.
    public static let registry = Self("registry", failure: .tampered) { job in
        .onSealedColumns { cells in try cells.checkRegistry(job.verification.sets ?? []) }
    }
}

/// The database's registry of sealed columns is authentic and fits its schema, and the columns' guards are in
/// place.
package enum RegistryCheck {
    /// What the keys of a dataset prove of a database: its registry, if it has one, and what the fields keyring
    /// remembers of it.
    package typealias Proof = (keys: FieldKeys, registry: ColumnRegistry?, record: SealedRecord?)

    /// - Parameter sets: The sets whose applied versions define which columns must be sealed.
    static func run(
        _ connection: borrowing Connection, _ sets: [MigrationSet]
    ) throws -> CheckResult {
        let id = try KeyringTable.database(connection)
        var proofs: [Proof] = []
        // Opening the connection has authenticated the registries of the datasets whose keys were given.
        for keys in connection.sealed?.allKeys ?? [] {
            try proofs.append(
                (keys, RegistryTables.read(keys, connection), keys.memory.record(of: id)))
        }
        return try compare(
            Ledger.history(connection), sets, claimed: RegistryTables.claimed(connection), proofs
        ) { try missingGuards(of: $0, connection) }
    }

    /// What a database of any engine claims and proves of its sealed columns, compared with the sets.
    /// - Parameters:
    ///   - claimed: The columns that it claims to have sealed, without proof.
    ///   - guards: What a proven column lacks.
    package static func compare(
        _ history: MigrationHistory, _ sets: [MigrationSet], claimed: [SealedColumn],
        _ proofs: [Proof], guards: (SealedColumn) throws -> [VerificationReport.Finding] = { _ in [] }
    ) throws -> CheckResult {
        var findings = try unproven(history, sets, claimed, proofs)
        for proof in proofs { findings += try memoryFindings(proof, history, sets) }
        guard !claimed.isEmpty || !findings.isEmpty else { return ("no sealed columns", []) }
        let known = proofs.flatMap(columns).filter { !$0.name.isEmpty }
        for column in known { findings += try stateFindings(column) + guards(column) }
        let strangers = claimed.filter { column in
            !column.name.isEmpty
                && !known.contains {
                    $0.table.hasSameBytes(as: column.table)
                        && $0.name.hasSameBytes(as: column.name)
                }
        }
        if !strangers.isEmpty {
            let names = strangers.map { column in
                "\(column.table).\(column.name)" + (column.state == .sealed ? "" : " (\(column.state.rawValue))")
            }.joined(separator: ", ")
            findings.append(
                .notice(
                    "\(names): claimed to be sealed; give the fields keyring to have that proven"
                ))
        }
        return (counted(known.count, "sealed column") + " proven", findings)
    }

    private static func columns(_ proof: Proof) -> [SealedColumn] {
        proof.registry?.columns.filter { $0.state != .plaintext } ?? []
    }

    private static func stateFindings(_ column: SealedColumn) -> [VerificationReport.Finding] {
        switch column.state {
        case .migrating, .unsealing:
            [
                .notice(
                    "\(column.table).\(column.name) is \(column.state.rawValue): finish the "
                        + "operation that was begun"
                )
            ]
        case .resealing: [.notice(advice: "\(column.title) is resealing: finish that with \(.reseal)")]
        case .sealed where column.identity == nil:
            [
                .notice(
                    advice: """
                        \(column.title) has the binding version 1, so its cells also open in another database of \
                        the dataset: \(.reseal) gives it an identity
                        """)
            ]
        case .plaintext, .sealed: []
        }
    }

    /// The columns that the applied versions of the sets seal, and the database does not.
    private static func unproven(
        _ history: MigrationHistory, _ sets: [MigrationSet], _ claimed: [SealedColumn], _ proofs: [Proof]
    ) throws -> [VerificationReport.Finding] {
        sets.filter(SealedExpectations.concern).flatMap { set in
            SealedExpectations.missing(SealedExpectations.of(set, history)) {
                claimed
            } proven: { dataset in
                // exact: names of datasets
                proofs.first { $0.keys.name == dataset }.map(columns)
            }.map { .failure(SealedExpectations.error($0, set).message) }
        }
    }

    /// What does not fit what the keyring remembers.
    private static func memoryFindings(
        _ proof: Proof, _ history: MigrationHistory, _ sets: [MigrationSet]
    ) throws -> [VerificationReport.Finding] {
        let keys = proof.keys
        let title = SealedTrust.title(keys)
        guard proof.registry != nil else {
            // Only the pending versions say whether that is expected.
            let isPending = sets.contains {
                SealedExpectations.isPending(keys.name, in: $0, history)
            }
            let isUnsealed = proof.record?.isSealed == false
            return [
                (isPending && keys.memory.records.isEmpty) || isUnsealed
                    ? .notice("nothing of the dataset \(title) is sealed yet")
                    : .failure("the database has no registry of the dataset \(title)")
            ]
        }
        guard proof.record == nil else { return [] }
        // A state that opening refuses is a failure.
        return [
            keys.memory.records.isEmpty
                ? .notice(
                    advice:
                        "the fields keyring does not remember this database: \(.rememberSealed) adds it"
                )
                : .failure(
                    advice: """
                        the fields keyring remembers other databases, but not this one: the database's \
                        registry might have been replaced; if this is another database of the \
                        dataset, \(.acceptSealed) adds it
                        """)
        ]
    }

    private static func missingGuards(
        of column: SealedColumn, _ connection: borrowing Connection
    ) throws -> [VerificationReport.Finding] {
        let names = try SealedNames.known(connection).values
        guard
            !names.contains(where: {
                SQLName($0.table) == SQLName(column.table) && SQLName($0.column) == SQLName(column.name)
            })
        else { return [] }
        return [.failure("\(column.table).\(column.name) has lost the triggers that keep plaintext out of it")]
    }
}
