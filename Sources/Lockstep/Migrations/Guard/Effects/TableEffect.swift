/// A difference between the rows of a table before a version and after it.
struct TableEffect {
    enum Kind: Hashable {
        /// Rows are neither where they were nor in a table that the run has filled.
        case rowsGone
        /// Rows stand more than once where they stood once.
        case rowsDoubled
        /// The values of a column are gone with it.
        case columnGone(SQLName)
        /// Values of a column are others.
        case changed(SQLName)
        /// The same, as its new type makes them: '00123' is 123 in an INTEGER column.
        case converted(SQLName)
        /// Values of a column are NULL.
        case nulled(SQLName)

        var column: SQLName? {
            switch self {
            case .rowsGone, .rowsDoubled: nil
            case .columnGone(let column), .changed(let column), .converted(let column), .nulled(let column): column
            }
        }
    }

    let kind: Kind
    let count: Int
    /// The numbers of rows before and after; nil for a table that is gone.
    var rows: (before: Int64, after: Int64?)
    /// The keys of the first rows, if they are asked for.
    var keys: [String] = []

    /// The keys as the end of a sentence.
    var keyText: String { TableEffects.text(ofKeys: keys, count) }

    /// What has happened to the table of this name.
    func text(_ table: String) -> String {
        let isOne = count == 1
        let values = counted(count, "value")
        switch kind {
        case .rowsGone:
            guard let after = rows.after else {
                return count == rows.before
                    ? "\(table) and its \(count) rows are gone"
                    : "\(count) of the \(rows.before) rows of \(table) \(isOne ? "is" : "are") gone"
            }
            guard after < rows.before else {
                return "\(counted(count, "row")) of \(table) \(isOne ? "was" : "were") deleted and others inserted"
            }
            let isMore = Int64(count) > rows.before - after
            return "\(table) went from \(rows.before) rows to \(after)"
                + (isMore ? ", without \(count) of the earlier ones" : "")
        case .rowsDoubled:
            return "\(counted(count, "row")) of \(table) \(isOne ? "stands" : "stand") there again, copied once more"
        case .columnGone(let column):
            return "\(values) of \(table).\(column.spelling) \(isOne ? "is" : "are") gone"
        case .changed(let column):
            return "\(values) of \(table).\(column.spelling) \(isOne ? "is another" : "are others") now"
        case .converted(let column):
            return "\(values) of \(table).\(column.spelling) \(isOne ? "becomes another" : "become others") "
                + "under the column's new type"
        case .nulled(let column):
            return "\(values) of \(table).\(column.spelling) \(isOne ? "becomes" : "become") NULL"
        }
    }

    /// The declaration that accepts it.
    func directive(_ table: String) -> Directive {
        switch kind {
        case .rowsGone, .rowsDoubled: .allowLoss(table: table)
        case .columnGone(let column): .allowColumnLoss(table: table, column: column.spelling)
        case .changed(let column), .converted(let column), .nulled(let column):
            .allowChangedValues(table: table, column: column.spelling)
        }
    }

    /// The code of its error.
    var code: LockstepError.Code { kind.column == nil ? .rowsLost : .valuesLost }
}
