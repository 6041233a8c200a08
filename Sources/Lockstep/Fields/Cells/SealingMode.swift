/// How the cells of a column are sealed.
public enum SealingMode: String, Sendable, CaseIterable {
    /// Equal values look different; cells open in their own row only.
    case random
    /// Equal values look equal, and a cell may be copied from row to row: for joining and grouping.
    case deterministic
}
