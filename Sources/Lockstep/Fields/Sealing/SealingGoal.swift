/// The intended change of a column's cells.
public enum SealingGoal: Sendable, Hashable {
    /// Plaintext becomes cells.
    case protect(
        mode: SealedColumn.Mode, padding: CellPadding, indexes: [SealedIndex.Request] = [])
    /// Cells become plaintext.
    case unprotect
    /// Cells of older versions of the field key become cells of the active one. A column that an earlier build sealed
    /// gets an identity, to which its cells and tokens then belong.
    case reseal
}
