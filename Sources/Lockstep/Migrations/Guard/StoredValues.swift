/// Counts the values in the columns of a table, each with one pass over it.
enum StoredValues {
    /// How many values other than NULL each column has; nil if the table cannot be read.
    static func counts(
        _ columns: [SQLName], of table: SQLName, _ core: ConnectionCore
    ) throws -> [Int]? {
        guard !columns.isEmpty else { return [] }
        let terms = columns.map { "count(\(SQLTokens.quote($0.spelling)))" }
        return try ask("SELECT \(terms.joined(separator: ", "))", table, core) { row in
            try columns.indices.map { try row[$0] as Int }
        }
    }

    /// Whether a column has, in every row, the value of another one.
    static func areEqual(
        _ column: SQLName, _ other: SQLName, in table: SQLName, _ core: ConnectionCore
    ) throws -> Bool {
        let (one, two) = (SQLTokens.quote(column.spelling), SQLTokens.quote(other.spelling))
        // A plus takes a column's affinity away: '1' and 1 are not equal.
        return try ask(
            """
            SELECT NOT EXISTS (SELECT 1 FROM main.\(SQLTokens.quote(table.spelling))
                WHERE \(one) IS NOT NULL AND +\(two) IS NOT +\(one) COLLATE BINARY)
            """, nil, core
        ) { row in try row[0] as Bool } ?? false
    }

    /// How many values of a column a column of this affinity cannot give back as they are.
    static func changed(
        _ column: SQLName, to affinity: Affinity, in table: SQLName, _ core: ConnectionCore
    ) throws -> Int {
        let name = SQLTokens.quote(column.spelling)
        let isChanged =
            switch affinity {
            case .blob: "0"
            case .text:
                """
                typeof(\(name)) IN ('integer', 'real')
                    AND CAST(CAST(\(name) AS TEXT) AS NUMERIC) IS NOT +\(name)
                """
            case .integer, .numeric, .real:
                // Comparing with a number makes one of a text that is one.
                """
                CASE typeof(\(name))
                    WHEN 'text' THEN +\(name) = CAST(\(name) AS NUMERIC)
                        AND CAST(CAST(\(name) AS NUMERIC) AS TEXT) IS NOT +\(name) COLLATE BINARY
                    WHEN 'integer' THEN \(affinity == .real ? "CAST(\(name) AS REAL) IS NOT +\(name)" : "0")
                    ELSE 0 END
                """
            }
        return try ask("SELECT count(*) FILTER (WHERE \(isChanged))", table, core) { row in
            try row[0] as Int
        } ?? 0
    }

    /// The number of rows of a table, also a temporary one.
    static func rows(of table: SQLName, _ core: ConnectionCore) throws -> Int64 {
        try ask("SELECT count(*) FROM \(SQLTokens.quote(table.spelling))", nil, core) { row in
            try row[0] as Int64
        } ?? 0
    }

    /// - Parameter table: The table for a query that does not name one.
    private static func ask<Result>(
        _ query: String, _ table: SQLName?, _ core: ConnectionCore, _ read: (borrowing Row) throws -> Result
    ) throws -> Result? {
        let from = table.map { " FROM main.\(SQLTokens.quote($0.spelling))" } ?? ""
        do {
            return try core.ask(SQL(verbatim: query + from), row: read).first
        } catch let error as LockstepError where error.code == .sqlFailed {
            return nil
        }
    }
}

/// A column of a table, as far as its values are concerned.
struct StoredColumn {
    let name: SQLName
    let affinity: Affinity
    /// Whether it is not computed from others.
    let isStored: Bool

    /// The columns of a table, also a temporary one, in order.
    static func all(of table: SQLName, _ core: ConnectionCore) throws -> [StoredColumn] {
        try core.ask("SELECT name, type, hidden FROM pragma_table_xinfo(?) ORDER BY cid", table.spelling) { row in
            StoredColumn(
                name: try row[0] as SQLName, affinity: Affinity(try row[1] as String), isStored: try row[2] as Int == 0)
        }
    }
}

extension Affinity {
    /// Whether storing values of such a column in one of another affinity can change them.
    func changesValues(under other: Affinity) -> Bool {
        guard self != other, other != .blob else { return false }
        switch (self, other) {
        case (.integer, .numeric), (.numeric, .integer), (.real, .numeric), (.real, .integer):
            return false
        default: return true
        }
    }
}
