/// By which name SQL reaches a table's rowid.
enum RowIDName {
    /// Those that no column of the table has taken, given its columns' names in lower case.
    static func free(beside columns: some Collection<String>) -> [String] {
        ["rowid", "_rowid_", "oid"].filter { !columns.contains($0) }
    }
}
