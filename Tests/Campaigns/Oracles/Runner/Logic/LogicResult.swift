/// The values of a query, row by row, in the suite's notation.
struct LogicResult {
    private(set) var values: [String]

    init(_ values: [String]) { self.values = values }

    /// Sorts rows, or values, by their bytes.
    mutating func sort(_ sorting: LogicQuery.Sorting, columns: Int) {
        switch sorting {
        case .nosort: break
        case .valuesort: values.sort()
        case .rowsort where columns == 1: values.sort()
        case .rowsort:
            let values = values
            let rows = stride(from: 0, to: values.count, by: columns).sorted { one, other in
                values[one..<(one + columns)].lexicographicallyPrecedes(values[other..<(other + columns)])
            }
            self.values = rows.flatMap { values[$0..<($0 + columns)] }
        }
    }

    /// The MD5 of all values, each followed by a line feed.
    var digest: String {
        var bytes: [UInt8] = []
        for value in values {
            bytes.append(contentsOf: value.utf8)
            bytes.append(UInt8(ascii: "\n"))
        }
        return Digests.md5(bytes)
    }

    /// The digest of an expected result, which can already be one.
    var expectedDigest: String {
        let words = values.first?.split(separator: " ") ?? []
        return words.dropFirst().prefix(3) == ["values", "hashing", "to"] && words.count == 5
            ? String(words[4]) : digest
    }

    /// The difference from the expected result, or nil.
    func difference(from expected: [String], threshold: Int) -> String? {
        guard threshold > 0, values.count > threshold else {
            return values == expected ? nil : "\(expected) is expected, and \(values) came"
        }
        let line = "\(values.count) values hashing to \(digest)"
        return [line] == expected ? nil : "\(expected) is expected, and \(line) came"
    }
}
