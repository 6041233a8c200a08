/// The plans of several sets together.
enum CombinedPlan {
    /// Whether any of `sets` has a step to run.
    /// - Throws: The first fatal finding, before anything runs; ``LockstepError/Code/misuse`` if recorded ways
    ///   down are allowed on a connection with field keys.
    static func hasSteps(
        _ sets: [MigrationSet], _ target: Plan.Target, _ recordedDown: RecordedDown, on connection: borrowing Connection
    ) throws -> Bool {
        try hasSteps(
            sets, target, recordedDown, ledger: Ledger.entries(connection), on: connection)
    }

    /// The same for a ledger that was already read.
    static func hasSteps(
        _ sets: [MigrationSet], _ target: Plan.Target, _ recordedDown: RecordedDown,
        ledger: [LedgerEntry], on connection: borrowing Connection
    ) throws -> Bool {
        try recordedDown.require(on: connection)
        var hasSteps = false
        for set in sets {
            let plan = Plan(set, ledger: ledger, target: target, recordedDown: recordedDown)
            try plan.requireSound()
            if !plan.steps.isEmpty { hasSteps = true }
        }
        return hasSteps
    }
}
