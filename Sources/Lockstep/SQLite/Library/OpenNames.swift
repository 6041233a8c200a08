/// The names that SQL of a connection knows only with the fields keyring of a dataset.
enum OpenNames {
    /// What the readable view of a table is called, behind the table's name.
    static let viewSuffix = "_open"

    /// What helps whoever asked for one of them without; nil for other messages of SQLite's.
    static func hint(for message: String) -> String? {
        let (table, function) = ("no such table: ", "no such function: lockstep_")
        if message.hasPrefix(table), message.hasSuffix(viewSuffix) {
            let name = message.dropFirst(table.count).dropLast(viewSuffix.count)
            return
                "if \(name) has sealed columns, open the database with the fields keyring of their dataset"
        }
        guard message.hasPrefix(function) else { return nil }
        return
            "what is sealed opens only with the fields keyring of its dataset: open the database with it"
    }
}
