/// What the database says of its sealed columns is authentic, fits its schema, and is guarded.
enum RegistryCheck {
    /// - Parameter sets: Whose applied versions say what has to be sealed.
    static func run(
        _ connection: borrowing Connection, _ sets: [MigrationSet]
    ) throws -> CheckResult {
        let claimed = try RegistryTables.claimed(connection)
        var findings = try unproven(connection, sets)
        guard !claimed.isEmpty || !findings.isEmpty else { return ("no sealed columns", []) }
        var known: [SealedColumn] = []
        // Opening the connection has proven what is said of the datasets whose keys were given.
        for (_, open) in connection.sealed?.named ?? [] where open.column.state != .plaintext {
            known.append(open.column)
        }
        for column in known {
            switch column.state {
            case .migrating, .unsealing:
                findings.append(
                    .notice(
                        "\(column.table).\(column.name) is \(column.state.rawValue): run what was begun to its end"
                    ))
            case .plaintext, .sealed: break
            }
            findings += try missingGuards(of: column, connection)
        }
        let strangers = claimed.filter { column in
            !column.name.isEmpty
                && !known.contains { $0.table == column.table && $0.name == column.name }
        }
        if !strangers.isEmpty {
            let names = strangers.map { "\($0.table).\($0.name)" }.joined(separator: ", ")
            findings.append(
                .notice(
                    "\(names): sealed, as anybody may claim; give the fields keyring to have that proven"
                ))
        }
        return (counted(known.count, "sealed column") + " proven", findings)
    }

    /// What the file does not prove, and the keyring, the sets or the caller say that it must.
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
                // Whether that is as it should be, the versions that wait say, and nobody else.
                let isPending = sets.contains {
                    SealedExpectations.isPending(keys.name, in: $0, history)
                }
                findings.append(
                    isPending
                        ? .notice("nothing of the dataset \(title) is sealed yet")
                        : .failure("the file proves nothing of the dataset \(title)"))
                continue
            }
            if registry.database == nil {
                findings.append(
                    .notice(
                        "what the file says of the dataset \(title) is in the first format, which names no database: "
                            + "`lockstep migrate --fields` brings it to the second"))
            } else if keys.memory.record(of: id) == nil {
                // What opening refuses fails.
                findings.append(
                    keys.memory.records.isEmpty
                        ? .notice(
                            "the fields keyring does not remember this database: `lockstep migrate "
                                + "--fields` has it remembered")
                        : .failure(
                            "the fields keyring remembers other databases, and not this one: somebody may "
                                + "have exchanged what the file says; if it is another database of the "
                                + "dataset, `lockstep keys accept-database` adds it"))
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
                $0.table.asciiLowercased == column.table.asciiLowercased
                    && $0.column.asciiLowercased == column.name.asciiLowercased
            })
        else { return [] }
        return [
            .failure(
                "\(column.table).\(column.name) has lost the triggers that keep plaintext out of it"
            )
        ]
    }
}
