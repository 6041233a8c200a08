/// The progress of a change of a column's cells.
public struct SealingProgress: Sendable, Hashable {
    /// The rows processed in this run.
    public let rows: Int
    /// The total number of rows to process.
    public let total: Int
}
