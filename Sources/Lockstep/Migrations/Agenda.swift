/// The steps that are still to be done. They stand as long as nobody else writes to the database: planning
/// reads the whole ledger and compares every file with it, too much to do it for each of many versions.
struct Agenda {
    private var steps: ArraySlice<Plan.Step> = []
    private var dataVersion: Int64?

    /// Whether the plan still stands.
    func isCurrent(_ connection: borrowing Connection) throws -> Bool {
        guard let dataVersion else { return false }
        return try connection.headerField("data_version") == dataVersion
    }

    /// The next step, after planning anew if that is due.
    mutating func next(
        _ connection: borrowing Connection, plan: () throws -> Plan
    ) throws -> Plan.Step? {
        // Whether the next step still is next is found out under the lock.
        if try dataVersion == nil || (steps.isEmpty && !isCurrent(connection)) {
            // The number comes first: who writes in between shows later.
            dataVersion = try connection.headerField("data_version")
            steps = try plan().steps[...]
        }
        return steps.first
    }

    /// The step that was next is done.
    mutating func complete() { steps.removeFirst() }

    /// Another has changed the ledger.
    mutating func forget() { dataVersion = nil }
}
