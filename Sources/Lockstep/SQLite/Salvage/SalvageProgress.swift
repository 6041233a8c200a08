/// The progress of a salvage.
public enum SalvageProgress: Sendable, Hashable {
    /// This many pages of the damaged file have been examined.
    case examining(pages: Int, of: Int)
    /// This many rows of a table have been copied.
    case copying(table: String, rows: Int)
    /// Indexes, views and triggers are being created.
    case building
    /// The new database is being checked.
    case verifying
}
