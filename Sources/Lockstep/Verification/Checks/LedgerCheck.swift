extension VerificationReport.Check {
    /// The applied migrations match the files.
    public static let ledger = Self("ledger", failure: .migrationChanged) { job in
        .onConnection(
            .init(isLight: true) { connection in
                try LedgerCheck.run(
                    connection, job.verification.sets, hasOthers: job.hasOthers, keys: job.verification.fieldKeys)
            })
    }
}

/// The applied migrations that the ledger records match the migration files.
package enum LedgerCheck {
    /// - Parameters:
    ///   - given: The sets; nil to check only what needs no files.
    ///   - hasOthers: Whether the database also carries other sets, which are not reported.
    ///   - keys: Keys for the MACs of rows, besides those that the connection holds.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that Lockstep did not write, or that was changed
    ///   since.
    static func run(
        _ connection: borrowing Connection, _ given: [MigrationSet]?, hasOthers: Bool = false, keys: [FieldKeys] = []
    ) throws -> CheckResult {
        let history = try Ledger.history(connection)
        let ledger = history.entries
        let codes = keys.isEmpty ? LedgerCodes(connection) : LedgerCodes(keys)
        let proven = try codes.check(ledger)
        var (summary, findings) = compare(history, given, hasOthers: hasOthers)
        let mirrored = try connection.headerField("user_version")
        // Before the first record the number is that of the program that made the database. Someone who removes the
        // ledger leaves it, too, which is a failure where the migrations say that there should be one.
        let isOfOthers =
            try given == nil && !EngineTables.exists(EngineTables.ledger, connection)
        if mirrored != Int64(ledger.count) {
            let difference = "user_version is \(mirrored), but the ledger records " + counted(ledger.count, "migration")
            findings.append(isOfOthers ? .notice(difference) : .failure(difference))
        }
        let mark = try connection.headerField("application_id")
        if !ledger.isEmpty, mark != Connection.applicationID {
            findings.append(.failure("application_id is \(mark), which is not Lockstep's"))
        }
        if proven > 0 { summary += ", \(proven) authenticated" }
        let uncheckable = codes.uncheckable(ledger)
        if uncheckable > 0 {
            findings.append(
                .notice(
                    "\(counted(uncheckable, "row")) of the ledger cannot be authenticated: the given "
                        + "fields keyrings do not have their key"
                ))
        }
        return (summary, findings)
    }

    /// What the database of any engine records, compared with the sets.
    package static func compare(
        _ history: MigrationHistory, _ given: [MigrationSet]?, hasOthers: Bool = false
    ) -> CheckResult {
        var findings: [VerificationReport.Finding] = []
        let sets = given ?? []
        let known = Set(sets.map(\.name))
        let carried = Set(history.entries.map(\.set))
        if given == nil, !history.entries.isEmpty {
            findings.append(.notice("no migrations were given to compare the ledger with"))
        }
        for name in carried.subtracting(known).sorted() where given != nil && !hasOthers {
            findings.append(.failure("the set \(name) was applied, but no folder of that name was given"))
        }
        // A set that has stopped in its first version has applied none.
        let begun = Set(history.unfinished.map(\.set))
        for set in sets where carried.contains(set.name) || begun.contains(set.name) || sets.count == 1 {
            let state = PlanState(set, history, upTo: nil)
            findings += Plan(set, history: history, target: .latest).findings.map(finding)
            let pending = state.pending.count
            if pending > 0 {
                findings.append(
                    .notice(
                        "\(counted(pending, "version")) of \(set.name) "
                            + "\(pending == 1 ? "is" : "are") not applied yet"))
            }
            for file in state.changedRepeatables {
                findings.append(.notice("\(file.fileName) has not run yet in its current form"))
            }
            findings += lateVersions(state)
        }
        for unfinished in history.unfinished
        where !hasOthers && !known.contains(unfinished.set) {
            findings.append(.failure("\(unfinished.set) \(unfinished.version) was begun and not finished"))
        }
        let names = carried.sorted().joined(separator: ", ")
        return (
            history.entries.isEmpty ? "nothing applied" : "\(history.entries.count) applied of \(names)", findings
        )
    }

    /// The ledger does not record whether an order was allowed, so versions out of order are reported.
    private static func lateVersions(_ state: PlanState) -> [VerificationReport.Finding] {
        var newest: MigrationVersion?
        var findings: [VerificationReport.Finding] = []
        for entry in state.applied {
            if let before = newest, entry.version < before {
                let mayBeLate = state.migrations.contains {
                    $0.version == entry.version && $0.mayComeLate
                }
                if !mayBeLate {
                    findings.append(
                        .notice("\(entry.set) \(entry.version) was applied after \(before)"))
                }
            } else {
                newest = entry.version
            }
        }
        return findings
    }

    /// An unfinished migration leaves a schema that is neither the one before it nor the one after it.
    private static func finding(_ finding: Plan.Finding) -> VerificationReport.Finding {
        finding.isFatal || finding.error.code == .migrationUnfinished
            ? .failure(finding.error.message) : .notice(finding.error.message)
    }
}
