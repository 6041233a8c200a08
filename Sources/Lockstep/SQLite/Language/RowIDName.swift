/// The names by which SQL can address a table's rowid.
enum RowIDName {
    private static let spellings = ["rowid", "_rowid_", "oid"]

    static let all = Set(spellings.map { SQLName($0) })

    /// The names that are not also columns of the table.
    static func free(beside columns: some Collection<SQLName>) -> [String] {
        spellings.filter { !columns.contains(SQLName($0)) }
    }
}
