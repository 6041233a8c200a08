/// The first rows in the order of a column of dates as text, which an index gives in the order of the texts.
///
/// That is the order of the dates as long as all have the form that is written. The rows beyond the first are not read
/// for that: where the last of the first is in this form, only texts of its day with a space, and others of its second,
/// could come before it. An index finds these at once.
struct DateOrder {
    let column: String
    let isDescending: Bool
    let limit: Int
    /// The rows as SQL, and the condition on them.
    let rows: String
    let condition: SQL

    /// Whether the first rows are the same, and in the same order, by the texts as by the dates.
    func isThatOfTexts(_ connection: borrowing Connection) throws -> Bool {
        let name = SQLTokens.quote(column)
        let direction = isDescending ? " DESC" : ""
        let first = try connection.first(
            """
            SELECT \(verbatim: isDescending ? "min" : "max")(x),
                count(CASE WHEN x IS NOT lockstep_date(x) THEN 1 END)
            FROM (SELECT \(verbatim: name) AS x FROM \(verbatim: rows)\(condition)
                ORDER BY \(verbatim: name)\(verbatim: direction) LIMIT \(limit))
            """
        ) { row in (last: try row[0] as Value, others: try row[1] as Int) }
        guard let first, first.others == 0 else { return false }
        guard case .text(let last) = first.last else { return true }
        guard let borders = DateBorders(last) else { return false }
        var near: SQL = ""
        for (index, range) in borders.near.enumerated() {
            let isOther = range.isOther ? "" : " AND \(name) IS NOT lockstep_date(\(name))"
            let one: SQL = """
                EXISTS (SELECT 1 FROM \(verbatim: rows) WHERE \(verbatim: name) COLLATE BINARY >= \(range.lowest)
                AND \(verbatim: name) COLLATE BINARY < \(range.beyond)\(verbatim: isOther))
                """
            near = index == 0 ? one : "\(near) OR \(one)"
        }
        return try connection.value("SELECT \(near)") == false
    }
}
