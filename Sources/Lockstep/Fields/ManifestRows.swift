/// What a table's rows come to: their number, and the digest that Manifest.swift defines.
struct ManifestRows: Sendable, Hashable {
    let count: UInt64
    let digest: [UInt8]

    init(count: UInt64, digest: [UInt8]) {
        self.count = count
        self.digest = digest
    }

    /// Goes through all rows, in the snapshot that is open. Takes the same memory for any number of rows, but
    /// for a table without a key or with one whose own order is another: then SQLite has to sort.
    /// - Parameter seesCell: Told of each value of a sealed column that is not NULL whether it looks like a cell.
    init(
        _ shape: SealedTable, columns: [String], _ connection: borrowing Connection,
        seesCell: (_ column: Int, Bool) throws -> Void = { _, _ in }
    ) throws {
        let keys = shape.key.columns.count
        let width = keys + columns.count
        let sql = try Self.selection(shape, columns, connection)
        var digest = try RowDigest()
        try connection.prepare(SQL(verbatim: sql)).forEach { row in
            for column in 0..<width {
                let isCell = try digest.add(row, column)
                if let isCell, column >= keys { try seesCell(column - keys, isCell) }
            }
            digest.rows += 1
        }
        count = digest.rows
        self.digest = try digest.finish()
    }

    /// The query for the rows, in the order that is due.
    static func selection(
        _ shape: SealedTable, _ columns: [String], _ connection: borrowing Connection
    ) throws -> String {
        let keys = shape.key.columns.map(\.name)
        let names = (keys + columns).map(SQLTokens.quote)
        let order = (keys.isEmpty ? names : Array(names.prefix(keys.count)))
            .map { "\($0) COLLATE BINARY" }
        let index = try keyIndex(shape, connection).map { "INDEXED BY \(SQLTokens.quote($0))" }
        return """
            SELECT \(names.joined(separator: ", ")) FROM main.\(shape.quotedName) \(index ?? "")
            ORDER BY \(order.joined(separator: ", "))
            """
    }

    /// The index that gives the rows in the order that is due: without being told SQLite might sort them instead,
    /// in memory. Nil where there is none, or none is needed.
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

/// The digest of a table's values, one after another.
private struct RowDigest: ~Copyable {
    private let digest: StreamingDigest
    private var waiting: [UInt8] = []
    var rows: UInt64 = 0

    /// As much is put together before it is digested.
    private static let batch = 65_536

    init() throws(LockstepError) {
        digest = try StreamingDigest(.sha256)
        waiting.reserveCapacity(2 * Self.batch)
    }

    /// Adds a value.
    /// - Returns: Whether it looks like a cell; nil for NULL.
    mutating func add(_ row: borrowing Row, _ column: Int) throws(LockstepError) -> Bool? {
        switch try row.stored(column) {
        case .null:
            try add(.null, [])
            return nil
        case .integer(let number): try add(.integer, number.bigEndianBytes)
        case .real(let number): try add(.real, number.bitPattern.bigEndianBytes)
        case .text(let bytes): try add(.text, bytes)
        case .blob(let bytes):
            try add(.blob, bytes)
            let prefix = unsafe bytes.withUnsafeBytes { bytes in
                unsafe CellPrefix(bytes.bindMemory(to: UInt8.self).span)
            }
            return prefix != nil
        }
        return false
    }

    private mutating func add(_ tag: CellTag, _ bytes: [UInt8]) throws(LockstepError) {
        unsafe try add(tag, bytes.span.bytes)
    }

    private mutating func add(_ tag: CellTag, _ bytes: RawSpan) throws(LockstepError) {
        waiting.append(tag.rawValue)
        // SQLite's values are shorter than 2^31 bytes.
        waiting += UInt32(truncatingIfNeeded: bytes.byteCount).bigEndianBytes
        if bytes.byteCount > Self.batch {
            try flush()
            return try digest.update(bytes)
        }
        unsafe bytes.withUnsafeBytes { unsafe waiting.append(contentsOf: $0) }
        if waiting.count > Self.batch { try flush() }
    }

    private mutating func flush() throws(LockstepError) {
        unsafe try digest.update(waiting.span.bytes)
        waiting.removeAll(keepingCapacity: true)
    }

    consuming func finish() throws(LockstepError) -> [UInt8] {
        try flush()
        return try digest.finish()
    }
}
