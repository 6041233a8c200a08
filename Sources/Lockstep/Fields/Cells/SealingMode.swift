/// How the cells of a column are sealed.
public enum SealingMode: String, Sendable, CaseIterable {
    /// Equal values look different; a cell opens only in its own row.
    case random
    /// Equal values look equal, and a cell can be copied from row to row: for joins and GROUP BY.
    case deterministic
}
