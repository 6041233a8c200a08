/// Names that a connection's SQL knows only with the fields keyring of a dataset.
enum OpenNames {
    /// The suffix of a table's readable view, after the table's name.
    static let viewSuffix = "_open"

    /// A hint for SQL that uses such a name without the keyring; nil for SQLite's other messages.
    static func hint(for message: String) -> String? {
        let (table, function) = ("no such table: ", "no such function: lockstep_")
        if let name = message.rest(after: table)?.rest(before: viewSuffix) {
            return "if \(name) has sealed columns, open the database with the fields keyring of their " + "dataset"
        }
        guard message.begins(with: function) else { return nil }
        return "sealed values open only with their dataset's fields keyring: open the database with it"
    }
}
