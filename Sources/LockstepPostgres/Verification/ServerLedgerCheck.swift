internal import Lockstep

/// The applied migrations that the server records match the files.
enum ServerLedgerCheck {
    static func run(
        _ sets: [MigrationSet]?, _ connection: borrowing ServerConnection
    ) throws -> ServerVerification.CheckResult {
        let history = try ServerLedger(connection).history(connection)
        var findings: [VerificationReport.Finding] = []
        if sets == nil, !history.entries.isEmpty {
            findings.append(.notice("no migrations were given to compare the ledger with"))
        }
        let known = Set((sets ?? []).map(\.name))
        let carried = Set(history.entries.map(\.set))
        for name in carried.subtracting(known).sorted() where sets != nil {
            findings.append(.failure("the set \(name) was applied, but no folder of that name was given"))
        }
        for set in sets ?? [] where carried.contains(set.name) || sets?.count == 1 {
            let plan = Plan(set, history: history, target: .latest)
            findings += plan.findings.map { finding in
                finding.isFatal
                    ? .failure(finding.error.message) : .notice(finding.error.message)
            }
            if !plan.steps.isEmpty {
                findings.append(
                    .notice(
                        "\(counted(plan.steps.count, "version")) of \(set.name) "
                            + "\(plan.steps.count == 1 ? "is" : "are") not applied yet"))
            }
        }
        for unfinished in history.unfinished {
            findings.append(
                .failure(
                    "\(unfinished.set) \(unfinished.version) has begun and is not finished"))
        }
        return (counted(history.entries.count, "version"), findings)
    }
}
