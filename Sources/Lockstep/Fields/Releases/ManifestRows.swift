/// The number of a table's rows, and their digests as Manifest.swift defines them.
package struct ManifestRows: Sendable, Hashable {
    package let count: UInt64
    /// The digest of the key and the sealed columns.
    package let digest: [UInt8]
    /// The digest of all columns; nil in version 1.
    package let wholeDigest: [UInt8]?

    package init(count: UInt64, digest: [UInt8], wholeDigest: [UInt8]? = nil) {
        self.count = count
        self.digest = digest
        self.wholeDigest = wholeDigest
    }

    /// Reads all rows in the open snapshot. Its memory does not depend on the number of rows, with two exceptions: a
    /// table whose key index has another order, which SQLite has to sort, and a table without a key, for which version
    /// 2 takes 64 bytes per row and version 1 lets SQLite sort.
    /// - Parameters:
    ///   - others: The columns that are not sealed, for version 2; nil for version 1.
    ///   - total: The expected number of rows; nil if it is unknown.
    ///   - progress: Called with the number of read rows, several times per second.
    ///   - seesCell: Called with each value of a sealed column that is not NULL, and whether it looks like a cell.
    init(
        _ shape: SealedTable, columns: [String], others: [String]? = nil, of total: Int? = nil,
        _ connection: borrowing Connection, progress: JobProgress.Handler = { _ in },
        seesCell: (_ column: Int, Bool) throws -> Void = { _, _ in }
    ) throws {
        let keys = shape.key.columns.count
        let width = keys + columns.count
        let isSet = others != nil && keys == 0
        let sql = try Self.selection(shape, columns, others: others, connection)
        var count: UInt64 = 0
        func report(_ ticker: inout Ticker, hasEnded: Bool = false) throws {
            guard hasEnded || ticker.isDue() else { return }
            let done = Int(clamping: count)
            try JobProgress(
                .digesting.of(shape.name), done, of: hasEnded ? done : total.map { max($0, done) },
                .rows, hasEnded: hasEnded
            ).report(to: progress)
        }
        var ticker = Ticker()
        var sealed = try StoredValueDigest(isOfSet: isSet)
        var whole = try StoredValueDigest(isOfSet: isSet)
        try report(&ticker)
        try connection.prepare(SQL(verbatim: sql)).forEach { row in
            if count.isMultiple(of: Self.rowsPerLook) { try report(&ticker) }
            for column in 0..<width {
                let isCell = try sealed.add(row, column)
                if let isCell, column >= keys { try seesCell(column - keys, isCell) }
            }
            try sealed.endRow()
            if let others {
                for column in 0..<(width + others.count) { try whole.add(row, column) }
                try whole.endRow()
            }
            count += 1
        }
        try report(&ticker, hasEnded: true)
        self.count = count
        digest = try sealed.finish()
        wholeDigest = others == nil ? nil : try whole.finish()
    }

    /// The number of rows between two looks at the clock, which costs about as much as a small row.
    private static let rowsPerLook: UInt64 = 64

    /// The query for the rows in the order that the format requires; in any order for a set.
    static func selection(
        _ shape: SealedTable, _ columns: [String], others: [String]? = nil, _ connection: borrowing Connection
    ) throws -> String {
        let keys = shape.key.columns.map(\.name)
        let sealed = (keys + columns).map(SQLTokens.quote)
        let names = sealed + (others ?? []).map(SQLTokens.quote)
        let order = (keys.isEmpty ? sealed : Array(sealed.prefix(keys.count)))
            .map { "\($0) COLLATE BINARY" }
        let isSet = others != nil && keys.isEmpty
        let index = try keyIndex(shape, connection).map { "INDEXED BY \(SQLTokens.quote($0))" }
        return """
            SELECT \(names.joined(separator: ", ")) FROM main.\(shape.quotedName) \(index ?? "")
            \(isSet ? "" : "ORDER BY \(order.joined(separator: ", "))")
            """
    }

    /// The index that gives the rows in the required order; without it, SQLite might sort them in memory. Nil if there
    /// is none, or none is needed.
    private static func keyIndex(
        _ shape: SealedTable, _ connection: borrowing Connection
    ) throws -> String? {
        guard shape.hasRowID, case .columns = shape.key else { return nil }
        return try connection.value(
            """
            SELECT l.name FROM pragma_index_list(?, 'main') AS l WHERE l.origin = 'pk' AND NOT EXISTS (
                SELECT 1 FROM pragma_index_xinfo(l.name, 'main') AS x
                WHERE x.key = 1 AND (x."desc" = 1 OR upper(x.coll) <> 'BINARY'))
            """, shape.name, as: String.self)
    }
}

extension JobProgress.Phase {
    /// The rows of a table are read for a release. The subject is the table.
    public static let digesting = Self("digesting")
}
