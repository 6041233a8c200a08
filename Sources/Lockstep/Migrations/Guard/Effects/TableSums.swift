/// The number of rows and the sums of hashes, which do not depend on the order of the rows.
struct TableSums {
    /// A column's values; with a key, each together with the key of its row.
    struct Column {
        var values: UInt128 = 0
        /// The keys of the rows where it is NULL.
        var nulls: UInt128 = 0
        /// How many values are not NULL.
        var filled: Int64 = 0
    }

    private(set) var rows: Int64 = 0
    private(set) var keys: UInt128 = 0
    /// Of whole rows, without a key.
    private(set) var contents: UInt128 = 0
    private(set) var columns: [Column]

    /// - Parameters:
    ///   - key: The terms of the key; none for a comparison by content.
    ///   - compared: The terms that make the content.
    init(_ source: RowSource, key: [ColumnTerm], _ terms: [ColumnTerm], compared: Set<Int> = []) throws {
        var columns = [Column](repeating: Column(), count: terms.count)
        var (rows, keys, contents): (Int64, UInt128, UInt128) = (0, 0, 0)
        let null = source.null
        let content = columns.indices.filter(compared.contains)
        try source.forEach(key + terms) { hashes, _ in
            rows += 1
            let id = key.isEmpty ? 0 : source.mixed(hashes.prefix(key.count))
            keys &+= id
            for index in columns.indices {
                let hash = hashes[key.count + index]
                columns[index].values &+= key.isEmpty ? hash : source.mixed(id, hash)
                if hash == null { columns[index].nulls &+= id } else { columns[index].filled += 1 }
            }
            guard key.isEmpty else { return }
            contents &+= source.mixed(content.lazy.map { hashes[$0] })
        }
        (self.rows, self.keys, self.contents, self.columns) = (rows, keys, contents, columns)
    }
}
