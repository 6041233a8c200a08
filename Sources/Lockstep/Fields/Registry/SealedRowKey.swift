/// The primary key that a column's cells are bound to, by the names of its columns, as the registry records it.
///
/// Anyone who can open the file can change its schema. With another primary key, cells would open in rows that they
/// were not sealed for.
package struct SealedRowKey: Sendable, Hashable {
    /// The registry's spelling: `row` or `key`, then the names.
    package let spelling: String

    /// Nil for a table without a suitable key.
    package init?(_ key: SealedTable.Key) {
        let word: String
        switch key {
        case .row: word = "row"
        case .columns: word = "key"
        case .none: return nil
        }
        let names = key.columns.map { PercentEncodedName.encode($0.name.asciiLowercased) }
        spelling = ([word] + names).joined(separator: " ")
    }

    /// Nil for a string that is not a valid ``spelling``.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count > 1, words[0] == "key" || (words[0] == "row" && words.count == 2),
            words.dropFirst().allSatisfy({ PercentEncodedName.decode($0)?.isEmpty == false })
        else { return nil }
        spelling = text
    }
}

extension SealedColumn {
    /// Whether its cells are sealed to another primary key than this one of its table.
    package func isSealed(toAnotherKeyThan key: SealedTable.Key) -> Bool {
        guard let rowKey, state != .plaintext else { return false }
        return SealedRowKey(key) != rowKey
    }
}
