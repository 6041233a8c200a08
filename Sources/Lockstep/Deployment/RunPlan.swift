/// The combined work of several sets.
enum RunPlan {
    /// Whether any of `sets` has a step to run.
    /// - Throws: The first fatal finding, before anything runs; ``LockstepError/Code/misuse`` if recorded ways
    ///   down are allowed on a connection with field keys.
    static func isAnythingDue(
        _ sets: [MigrationSet], _ target: Plan.Target, _ recordedDown: RecordedDown,
        on connection: borrowing Connection
    ) throws -> Bool {
        try isAnythingDue(
            sets, target, recordedDown, ledger: Ledger.entries(connection), on: connection)
    }

    /// The same for a ledger that was already read.
    static func isAnythingDue(
        _ sets: [MigrationSet], _ target: Plan.Target, _ recordedDown: RecordedDown,
        ledger: [LedgerEntry], on connection: borrowing Connection
    ) throws -> Bool {
        try recordedDown.require(on: connection)
        var isDue = false
        for set in sets {
            let plan = Plan(set, ledger: ledger, target: target, recordedDown: recordedDown)
            try plan.requireSound()
            if !plan.steps.isEmpty { isDue = true }
        }
        return isDue
    }
}
