extension VerificationReport.Check {
    /// The registry of sealed columns is authentic, and the columns' guards are in place.
    public static let registry = Self("registry", failure: .tampered) { job in
        .onSealedColumns { cells in try cells.checkRegistry(job.verification.sets ?? []) }
    }
}

/// The database's registry of sealed columns is authentic and fits its schema, and the columns' guards are in
/// place.
enum RegistryCheck {
    /// - Parameter sets: The sets whose applied versions define which columns must be sealed.
    static func run(
        _ connection: borrowing Connection, _ sets: [MigrationSet]
    ) throws -> CheckResult {
        let claimed = try RegistryTables.claimed(connection)
        var findings = try unproven(connection, sets)
        guard !claimed.isEmpty || !findings.isEmpty else { return ("no sealed columns", []) }
        var known: [SealedColumn] = []
        // Opening the connection has authenticated the registries of the datasets whose keys were given.
        for (_, open) in connection.sealed?.named ?? [] where open.column.state != .plaintext {
            known.append(open.column)
        }
        for column in known {
            switch column.state {
            case .migrating, .unsealing:
                findings.append(
                    .notice(
                        "\(column.table).\(column.name) is \(column.state.rawValue): finish the "
                            + "operation that was begun"
                    ))
            case .resealing:
                findings.append(.notice(advice: "\(column.title) is resealing: finish that with \(.reseal)"))
            case .sealed where column.identity == nil:
                findings.append(
                    .notice(
                        advice: """
                            \(column.title) has the binding version 1, so its cells also open in another database of \
                            the dataset: \(.reseal) gives it an identity
                            """))
            case .plaintext, .sealed: break
            }
            findings += try missingGuards(of: column, connection)
        }
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

    /// The faults where the file does not prove what the keyring, the sets or the caller require.
    private static func unproven(
        _ connection: borrowing Connection, _ sets: [MigrationSet]
    ) throws -> [VerificationReport.Finding] {
        let history = try Ledger.history(connection)
        var findings: [VerificationReport.Finding] = []
        for set in sets where SealedExpectations.concern(set) {
            let expected = SealedExpectations.of(set, history)
            for missing in try SealedExpectations.missing(expected, connection) {
                findings.append(.failure(SealedExpectations.error(missing, set).message))
            }
        }
        let id = try KeyringTable.database(connection)
        for keys in connection.sealed?.allKeys ?? [] {
            let title = SealedTrust.title(keys)
            guard let registry = try RegistryTables.read(keys, connection) else {
                // Only the pending versions say whether that is expected.
                let isPending = sets.contains {
                    SealedExpectations.isPending(keys.name, in: $0, history)
                }
                let isUnsealed = keys.memory.record(of: id)?.isSealed == false
                findings.append(
                    isPending || isUnsealed
                        ? .notice("nothing of the dataset \(title) is sealed yet")
                        : .failure("the file has no registry of the dataset \(title)"))
                continue
            }
            if registry.format == .first {
                findings.append(
                    .notice(
                        advice: """
                            the file's registry of the dataset \(title) has the first format, which names no \
                            database: \(.migrateFields) converts it
                            """))
            } else if try connection.remembered(id, by: keys) == nil {
                // A state that opening refuses is a failure.
                findings.append(
                    keys.memory.records.isEmpty
                        ? .notice(
                            advice:
                                "the fields keyring does not remember this database: \(.rememberSealed) adds it"
                        )
                        : .failure(
                            advice: """
                                the fields keyring remembers other databases, but not this one: the file's \
                                registry might have been replaced; if this is another database of the \
                                dataset, \(.acceptSealed) adds it
                                """))
            }
        }
        return findings
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
