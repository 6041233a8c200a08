/// The names by which SQL can address a table's rowid.
enum RowIDName {
    /// The names that are not also columns of the table, given its columns' names in lower case.
    static func free(beside columns: some Collection<String>) -> [String] {
        ["rowid", "_rowid_", "oid"].filter { !columns.contains($0) }
    }
}
