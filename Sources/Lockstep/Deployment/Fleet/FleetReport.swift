/// What became of a fleet.
public struct FleetReport: Sendable, Hashable {
    /// Files that were migrated.
    public internal(set) var migrated = 0
    /// Files that had nothing to do.
    public internal(set) var unchanged = 0
    /// Files that failed.
    public internal(set) var failed = 0
    /// Files that were not begun, since the fleet was stopped before.
    public internal(set) var skipped = 0
    /// For how long, in microseconds.
    public internal(set) var duration: Int64 = 0

    /// Whether nothing failed and nothing was left out.
    public var isSuccess: Bool { failed == 0 && skipped == 0 }

    mutating func add(_ result: FleetResult) {
        if result.wasSkipped {
            skipped += 1
        } else if !result.isSuccess {
            failed += 1
        } else if result.steps.isEmpty {
            unchanged += 1
        } else {
            migrated += 1
        }
    }
}
