/// What one connection knows of reading the rows of a record type.
final class RecordSource {
    let table: String
    /// The name under which rows are read and written, as SQL.
    let name: String
    /// Whether that is the readable view of a table with sealed columns.
    let isView: Bool
    let columns: RecordColumns
    /// The type's columns as SQL, or `*` if the type does not say which it reads. Sealed columns that it does not read
    /// stay closed.
    let selection: String
    /// The columns of its key.
    let key: [String]
    /// The statement that finds a row by its key.
    let finding: StatementKey
    /// The columns whose values are read from several forms.
    let forms: FormedColumns
    /// Whether the key has such columns.
    let hasFormedKey: Bool

    init<R: Record>(_ type: R.Type, _ connection: borrowing Connection) throws {
        table = R.table
        name = try connection.readable(R.table).text
        isView = !name.hasSameBytes(as: SQLTokens.quote(R.table))
        columns = try RecordColumns(of: type, connection)
        forms = try FormedColumns(of: type, columns, name, isView: isView, connection)
        hasFormedKey = type.primaryKey.contains { [forms] in forms[$0] != nil }
        selection = Self.selection(type, columns, isView ? forms : nil)
        key = R.primaryKey
        let isKey = R.primaryKey.map { "\(SQLTokens.quote($0)) = ?" }
        finding = StatementKey("SELECT \(selection) FROM \(name) WHERE \(isKey.joined(separator: " AND "))")
    }

    private static func selection<R: Record>(
        _ type: R.Type, _ columns: RecordColumns, _ forms: FormedColumns?
    ) -> String {
        let properties = RecordProperties.of(type)
        guard let isCoded = properties.isCoded else { return "*" }
        // Decoding is faster in the properties' order.
        let first = properties.all.compactMap(\.column).filter { isCoded($0) }
            .compactMap { columns[$0]?.name }
        let rest = columns.all.map(\.name).filter { isCoded($0) && !first.containsBytes(of: $0) }
        let all = first + rest
        let expressions = all.map { name in
            columns.sealed.contains(SQLName(name))
                ? forms?.strictly(name, R.table) ?? SQLTokens.quote(name) : SQLTokens.quote(name)
        }
        return all.isEmpty ? "*" : expressions.joined(separator: ", ")
    }

    /// - Throws: ``LockstepError/Code/recordMisfit`` for a column that the table does not have.
    func require(_ column: String) throws(LockstepError) {
        guard columns[column] == nil else { return }
        throw LockstepError(
            .recordMisfit, "\(table) has no column \(column)", hint: columns.list,
            context: .init(table: table, column: column, missing: .init(.column, column)))
    }

    func isSealed(_ column: String) -> Bool {
        isView && columns.sealed.contains(SQLName(column))
    }
}
