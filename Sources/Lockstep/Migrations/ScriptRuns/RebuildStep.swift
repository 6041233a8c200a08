/// The steps of a table rebuild, in order.
enum RebuildStep: String, Sendable, CaseIterable {
    /// Create the new table under a temporary name.
    case create
    /// Copy the rows.
    case copy
    /// Drop the old table.
    case drop
    /// Rename the new table to the old table's name.
    case rename
    /// Create its indexes and triggers again.
    case restore
}
