/// The rows of one table, read for a comparison.
struct RowSource {
    let core: ConnectionCore
    let table: SQLName
    let hashKey: KeyedHash.Key
    /// Which rows are read; nil for all.
    var condition: String?

    /// Passes the hashes of the terms of each row to `body`.
    func forEach(_ terms: [ColumnTerm], _ body: ([UInt128], borrowing Row) throws -> Void) throws {
        let list = terms.isEmpty ? "1" : terms.map(\.sql).joined(separator: ", ")
        var hashes = [UInt128](repeating: 0, count: terms.count)
        let some = condition.map { " WHERE \($0)" } ?? ""
        let sql = SQL(verbatim: "SELECT \(list) FROM main.\(SQLTokens.quote(table.spelling))\(some)")
        _ = try core.ask(sql) { row in
            for index in terms.indices { hashes[index] = terms[index].hash(row, index, hashKey) }
            try body(hashes, row)
        }
    }

    /// One hash of several.
    func mixed(_ hashes: some Sequence<UInt128>) -> UInt128 {
        var hash = KeyedHash(hashKey)
        for one in hashes { hash.absorb(hash: one) }
        return hash.finish()
    }

    func mixed(_ one: UInt128, _ other: UInt128) -> UInt128 {
        var hash = KeyedHash(hashKey)
        hash.absorb(hash: one)
        hash.absorb(hash: other)
        return hash.finish()
    }

    /// The hash of NULL.
    var null: UInt128 {
        var hash = KeyedHash(hashKey)
        hash.absorb(5)
        return hash.finish()
    }
}
