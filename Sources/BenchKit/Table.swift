/// Columns of text, as wide as they need to be.
package struct Table {
    /// The columns that contain words; numbers are right-aligned.
    package var words: Set<Int> = [0, 1]
    package var rows: [[String]] = []

    package init(words: Set<Int> = [0, 1], rows: [[String]] = []) {
        self.words = words
        self.rows = rows
    }

    /// The lines, without spaces at their ends.
    package var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return words.contains(column) ? text + space : space + text
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension [String] {
    /// The words in a sentence, with another before the last: `a, b or c`.
    package func listed(before word: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) \(word) \(last)"
    }
}
