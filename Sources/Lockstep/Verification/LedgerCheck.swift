/// What the ledger says was applied is what the migration files say.
enum LedgerCheck {
    /// - Parameter hasOthers: Whether the database carries sets besides, of which nothing is to be said.
    static func run(
        _ connection: borrowing Connection, _ sets: [MigrationSet], hasOthers: Bool = false
    ) throws -> CheckResult {
        let history = try Ledger.history(connection)
        let ledger = history.entries
        var findings: [VerificationReport.Finding] = []
        let known = Set(sets.map(\.name))
        let carried = Set(ledger.map(\.set))
        for name in carried.subtracting(known).sorted() where !hasOthers {
            findings.append(
                .failure("the set \(name) was applied, and no folder of that name was given"))
        }
        for set in sets where carried.contains(set.name) || sets.count == 1 {
            let state = PlanState(set, history, upTo: nil)
            findings += Plan(set, history: history, wish: .latest).findings.map(finding)
            let pending = state.pending.count
            if pending > 0 {
                findings.append(.notice("\(pending) versions of \(set.name) are not applied yet"))
            }
            for file in state.changedRepeatables {
                findings.append(.notice("\(file.fileName) has not run yet as it is now"))
            }
        }
        for unfinished in history.unfinished
        where !hasOthers && !known.contains(unfinished.set) {
            findings.append(
                .failure("\(unfinished.set) \(unfinished.version) was begun and not ended"))
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

    /// What was begun and not ended is neither the schema from before nor the one behind it.
    private static func finding(_ finding: Plan.Finding) -> VerificationReport.Finding {
        finding.isFatal || finding.error.code == .migrationUnfinished
            ? .failure(finding.error.message) : .notice(finding.error.message)
    }
}
