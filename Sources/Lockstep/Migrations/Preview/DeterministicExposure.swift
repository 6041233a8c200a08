/// What equal cells of a column reveal to anyone who can open the database: how often each value occurs.
package enum DeterministicExposure {
    /// How many values are looked at.
    private static let most = 100_000

    /// What the column's present values would show; nil for a column without any, and for one that holds cells already.
    package static func summary(
        of column: String, in table: String, _ connection: borrowing Connection
    ) throws -> String? {
        try connection.with(rights: .engine) {
            guard let shape = try SealedTable(table, connection), shape.column(column) != nil,
                try SealingGuard.all(of: column, table, connection).isEmpty
            else { return nil }
            let name = SQLTokens.quote(column)
            let values = "SELECT \(name) AS v FROM main.\(shape.quotedName) WHERE \(name) IS NOT NULL LIMIT \(most)"
            let counts = try connection.query(
                SQL(
                    verbatim:
                        "SELECT sum(n), count(*), max(n) FROM (SELECT count(*) AS n FROM (\(values)) GROUP BY v COLLATE BINARY)"
                )
            ) { row in (try row[0] as Int?, try row[1] as Int, try row[2] as Int?) }.first
            guard let counts, let rows = counts.0, let highest = counts.2 else { return nil }
            return "equal values of \(table).\(column) get equal cells: anyone who can open the database sees that "
                + "\(counted(rows, "row"))\(rows == most ? " or more" : "") have \(counted(counts.1, "value")), and that one "
                + "of them occurs \(highest) times"
        }
    }
}
