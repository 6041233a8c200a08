/// What several sets together have to do.
enum RunPlan {
    /// Whether any of `sets` has a step to run.
    /// - Throws: The first fatal finding, before anything is done.
    static func isAnythingDue(
        _ sets: [MigrationSet], _ wish: Plan.Wish, on connection: borrowing Connection
    ) throws -> Bool {
        try isAnythingDue(sets, wish, ledger: Ledger.entries(connection))
    }

    /// The same for a ledger that was read already.
    static func isAnythingDue(
        _ sets: [MigrationSet], _ wish: Plan.Wish, ledger: [LedgerEntry]
    ) throws -> Bool {
        var isDue = false
        for set in sets {
            let plan = Plan(set, ledger: ledger, wish: wish)
            try plan.requireSound()
            if !plan.steps.isEmpty { isDue = true }
        }
        return isDue
    }
}
