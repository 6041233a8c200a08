/// What the database says of its sealed columns is authentic, fits its schema, and is guarded.
enum RegistryCheck {
    static func run(_ connection: borrowing Connection) throws -> CheckResult {
        let claimed = try RegistryTables.claimed(connection)
        guard !claimed.isEmpty else { return ("no sealed columns", []) }
        var findings: [VerificationReport.Finding] = []
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
