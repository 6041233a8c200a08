/// How far a change of a column's cells has come.
public struct SealingProgress: Sendable, Hashable {
    /// Rows that were gone through, in this run.
    public let rows: Int
    /// How many there were to go through.
    public let total: Int
}
