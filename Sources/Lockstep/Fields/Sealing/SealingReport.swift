/// The result of a change of a column's cells.
public struct SealingReport: Sendable, Hashable {
    /// The rows that were processed, in the last pass if another connection bypassed the guards meanwhile.
    public internal(set) var rows = 0
    /// When the change began, and how long it took.
    public internal(set) var time = JobTime()
}
