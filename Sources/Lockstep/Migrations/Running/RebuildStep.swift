/// The steps of a table rebuild, in their order.
public enum RebuildStep: String, Sendable, CaseIterable {
    /// Create the new table under a temporary name.
    case create
    /// Copy the rows.
    case copy
    /// Drop the old table.
    case drop
    /// Give the new table the old one's name.
    case rename
    /// Create its indexes and triggers anew.
    case restore
}
