/// The primary key that the cells of a column are bound to, by its columns' names: what the registry notes of it.
///
/// The schema is the file's. With another primary key in it, cells would open in rows that they were not sealed for.
struct SealedRowKey: Sendable, Hashable {
    /// As the registry has it: `row` or `key`, then the names.
    let spelling: String

    /// Nil for a table without such a key.
    init?(_ key: SealedTable.Key) {
        let word: String
        switch key {
        case .row: word = "row"
        case .columns: word = "key"
        case .none: return nil
        }
        let names = key.columns.map { PercentEncodedName.encode($0.name.asciiLowercased) }
        spelling = ([word] + names).joined(separator: " ")
    }

    /// Nil for a text that ``spelling`` never is.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count > 1, words[0] == "key" || (words[0] == "row" && words.count == 2),
            words.dropFirst().allSatisfy({ PercentEncodedName.decode($0)?.isEmpty == false })
        else { return nil }
        spelling = text
    }

    /// How many columns it has.
    var count: Int { spelling.split(separator: " ").count - 1 }
    /// Whether it is an INTEGER PRIMARY KEY.
    var isRow: Bool { spelling.hasPrefix("row ") }
}
