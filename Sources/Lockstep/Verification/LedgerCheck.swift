/// What the ledger says was applied is what the migration files say.
enum LedgerCheck {
    static func run(
        _ connection: borrowing Connection, _ sets: [MigrationSet]
    ) throws -> CheckResult {
        let ledger = try Ledger.entries(connection)
        var findings: [VerificationReport.Finding] = []
        let known = Set(sets.map(\.name))
        let carried = Set(ledger.map(\.set))
        for name in carried.subtracting(known).sorted() {
            findings.append(
                .failure("the set \(name) was applied, and no folder of that name was given"))
        }
        for set in sets where carried.contains(set.name) || sets.count == 1 {
            for finding in Plan(set, ledger: ledger, wish: .latest).findings {
                findings.append(
                    finding.isFatal
                        ? .failure(finding.error.message) : .notice(finding.error.message))
            }
            let pending = set.files.count { file in
                !ledger.contains { $0.set == set.name && $0.version == file.version }
            }
            if pending > 0 {
                findings.append(.notice("\(pending) versions of \(set.name) are not applied yet"))
            }
        }
        let mirrored = try connection.headerField("user_version")
        if mirrored != Int64(ledger.count) {
            findings.append(
                .failure("user_version is \(mirrored), and \(ledger.count) migrations are recorded")
            )
        }
        let mark = try connection.headerField("application_id")
        if !ledger.isEmpty, mark != Connection.applicationID {
            findings.append(.failure("application_id is \(mark), which is not Lockstep's mark"))
        }
        let names = carried.sorted().joined(separator: ", ")
        return (
            ledger.isEmpty ? "nothing applied" : "\(ledger.count) applied of \(names)", findings
        )
    }
}
