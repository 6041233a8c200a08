/// The result of a fleet.
public struct FleetReport: Sendable, Hashable {
    /// An empty report. Its time begins.
    public init() {}

    /// Files that were migrated.
    public internal(set) var migrated = 0
    /// Files that had nothing to do.
    public internal(set) var unchanged = 0
    /// Files that failed.
    public internal(set) var failed = 0
    /// Files that were not started because the fleet was stopped first.
    public internal(set) var skipped = 0
    /// When the fleet began, and how long it took.
    public internal(set) var time = JobTime()

    /// The number of files counted so far.
    var files: Int { migrated + unchanged + failed + skipped }

    /// Whether no file failed and none was skipped.
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
