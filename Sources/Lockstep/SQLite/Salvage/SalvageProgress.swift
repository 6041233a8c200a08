/// How far a salvage has come.
public enum SalvageProgress: Sendable, Hashable {
    /// So many of the damaged file's pages have been looked at.
    case examining(pages: Int, of: Int)
    /// So many rows of a table have been brought over.
    case copying(table: String, rows: Int)
    /// Indexes, views and triggers are made.
    case building
    /// The new database is checked.
    case verifying
}
