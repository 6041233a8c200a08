/// SQL that reads a column for a comparison.
struct ColumnTerm {
    let sql: String
    /// Whether a whole REAL is the INTEGER of the same value.
    let isLoose: Bool

    /// The value as it is stored.
    static func stored(_ column: SQLName) -> ColumnTerm {
        ColumnTerm(sql: SQLTokens.quote(column.spelling), isLoose: false)
    }

    /// The value with numbers as numbers: a text counts as one if it is what the number reads as. So a value is the same
    /// under another affinity where casting it back gives it again.
    static func converted(_ column: SQLName) -> ColumnTerm {
        let name = "+\(SQLTokens.quote(column.spelling))"
        return ColumnTerm(
            sql: """
                CASE WHEN typeof(\(name)) = 'text' AND CAST(CAST(\(name) AS NUMERIC) AS TEXT) = \(name) COLLATE BINARY
                THEN CAST(\(name) AS NUMERIC) ELSE \(name) END
                """, isLoose: true)
    }

    /// What a column of this affinity makes of the value, whether or not it can give it back.
    static func forced(_ column: SQLName, to affinity: Affinity) -> ColumnTerm {
        let name = SQLTokens.quote(column.spelling)
        let sql =
            switch affinity {
            case .blob: name
            case .text: "CAST(\(name) AS TEXT)"
            case .integer, .numeric, .real: "CAST(CAST(\(name) AS REAL) AS TEXT)"
            }
        return ColumnTerm(sql: sql, isLoose: true)
    }

    func hash(_ row: borrowing Row, _ column: Int, _ key: KeyedHash.Key) -> UInt128 {
        var hash = KeyedHash(key)
        row.hash(Int32(column), isLoose: isLoose, into: &hash)
        return hash.finish()
    }
}
