/// A column of a record's table, with the type of its property: in conditions, orders and assignments.
///
/// A value that a column is compared with is bound in the form that the column stores, as when a record is written, and
/// never becomes part of the SQL. It is compared with what is read from the column, in whatever form that is stored: a
/// UUID in lower case is equal to the same one in upper case. Comparisons are SQLite's: NULL satisfies none of them,
/// and neither does it their negation. `== nil` and `!= nil` ask for it.
public struct RecordColumn<Root: Record, Property>: Sendable {
    let name: Result<String, LockstepError>

    /// The column's values in ascending order: NULL first, then numbers, then texts byte by byte, or as the column's
    /// collation says. Dates, UUIDs, decimal numbers and URLs are ordered by what is read from them.
    public var ascending: Ordering<Root> { Ordering(column: name, isDescending: false) }

    /// The column's values in descending order, the reverse of ``ascending``.
    public var descending: Ordering<Root> { Ordering(column: name, isDescending: true) }
}
