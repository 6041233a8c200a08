/// The names by which SQL can address a table's rowid.
enum RowIDName {
    /// The names that are not also columns of the table.
    static func free(beside columns: some Collection<SQLName>) -> [String] {
        ["rowid", "_rowid_", "oid"].filter { !columns.contains(SQLName($0)) }
    }
}
