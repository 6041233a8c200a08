public import Lockstep

extension ServerSQL.StringInterpolation {
    /// `\(sealed: "movies.title", equals: value)`: a condition that finds the rows with this value in a sealed column,
    /// by the token of a blind index. The value itself never reaches the server.
    ///
    /// The result must have the column and the key of its row, which are opened and compared: rows that only share the
    /// token are left out. Such a condition stands beside others with AND alone.
    /// - Parameters:
    ///   - title: The column, as `table.column`.
    ///   - value: The value.
    ///   - normaliser: The index's rule for equality, such as one that ignores case; nil for the same value.
    ///   - alias: The name that the statement gives to the table, if it gives one.
    public mutating func appendInterpolation(
        sealed title: String, equals value: Value, under normaliser: Normaliser? = nil, as alias: String? = nil
    ) {
        appendLookup(title, value, normaliser, alias)
    }

    /// `\(sealed: "movies.title")`: the same condition in a statement to be prepared, whose value each run has of its
    /// own.
    public mutating func appendInterpolation(
        sealed title: String, under normaliser: Normaliser? = nil, as alias: String? = nil
    ) {
        appendLookup(title, nil, normaliser, alias)
    }
}
