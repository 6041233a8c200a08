/// The values of one column that are processed as streams, because SQLite would hold each in memory several times.
struct LargeCells {
    let shape: SealedTable
    let column: String
    private let rowID: String

    /// The maximum length of a cell of a BLOB that was sealed in one piece.
    private static let limit = CellFormat.random.overhead + CellFormat.longestPiece

    /// Nil for a table whose values cannot be read as streams.
    init?(_ shape: SealedTable, _ column: String) {
        guard shape.obstacleToStreams == nil, let rowID = shape.rowIDName else { return nil }
        self.shape = shape
        self.column = column
        self.rowID = rowID
    }

    /// An SQL condition: whether a row has such a value. SQLite knows a length without reading the value.
    var condition: String { "\(length) > \(Self.limit)" }

    /// An SQL expression: the length of a row's BLOB; 0 for anything else.
    var length: String {
        let name = SQLTokens.quote(column)
        return "CASE typeof(\(name)) WHEN 'blob' THEN length(\(name)) ELSE 0 END"
    }

    /// The rows with such a value that meet a condition, which must end with AND.
    func rows(
        _ range: String, _ bounds: [Value], _ connection: borrowing Connection
    ) throws -> [Int64] {
        let statement = try connection.prepare(
            SQL(
                verbatim:
                    "SELECT \(rowID) FROM main.\(shape.quotedName) WHERE \(range)\(condition)"))
        try statement.bind(values: bounds)
        return try statement.map { row in try row[0] as Int64 }
    }

    func place(_ row: Int64) -> BlobPlace {
        BlobPlace(table: shape.name, column: column, row: row)
    }

    /// The prefix of a row's value, without reading the rest.
    func prefix(_ row: Int64, _ connection: borrowing Connection) throws -> CellPrefix? {
        try connection.withBlob(place(row)) { blob in
            let bytes = try blob.read(at: 0, count: min(CellFormat.prefixLength, blob.count))
            return CellPrefix(bytes.span, length: blob.count)
        }
    }
}
