/// The cells of some rows, as SQLite values, with what they were made of. One thread fills it and hands it to the
/// writing thread.
// Sendable by this proof: the thread that fills it gives it away and keeps no reference.
final class PreparedCells: @unchecked Sendable {
    let piece: SealingChange.Piece
    private let column: SealedColumn
    private let shape: SealedTable
    private var rowIDs: [Int64] = []
    /// The values of all rows, one row after another: those of the changed columns, and the old ones of the compared
    /// columns.
    private var values: [CopiedValue] = []
    private var bytes = 0

    /// The maximum bytes of cells that are held.
    private static let maximumBytes = 64 << 20

    /// - Parameters:
    ///   - column: The column as the registry has it when the rows are read.
    ///   - shape: Its table at that time.
    init(_ piece: SealingChange.Piece, _ column: SealedColumn, _ shape: SealedTable) {
        self.piece = piece
        self.column = column.withoutCursor
        self.shape = shape
    }

    deinit { for value in values { value.free() } }

    /// The number of rows that get new cells.
    var count: Int { rowIDs.count }

    /// Whether they are cells of this column in this table.
    func isFor(_ column: SealedColumn, _ shape: SealedTable) -> Bool {
        self.column == column.withoutCursor && self.shape == shape
    }

    /// Adds a row of ``SealingChange/Conversion/selection(_:_:)``.
    func add(_ row: borrowing Row) throws(LockstepError) {
        rowIDs.append(try row[0])
        for column in 1..<row.count {
            guard let copy = CopiedValue(row, column) else { throw Self.tooLarge }
            values.append(copy)
            bytes += copy.blobLength
        }
        guard bytes <= Self.maximumBytes else { throw Self.tooLarge }
    }

    private static var tooLarge: LockstepError {
        LockstepError(.tooLarge, "there is not enough memory for a batch of cells")
    }

    /// Writes the rows with a statement whose parameters are a row's values and its rowid. No trigger fires.
    /// - Returns: The number of rows that were changed.
    func write(_ replacement: SQL, _ connection: borrowing Connection) throws(LockstepError) -> Int {
        guard !rowIDs.isEmpty else { return 0 }
        let width = values.count / rowIDs.count
        let before = connection.rowChanges
        try connection.withoutTriggers { () throws(LockstepError) in
            let statement = try connection.prepare(replacement)
            for (index, rowID) in rowIDs.enumerated() {
                let cells = values[(index * width)..<((index + 1) * width)]
                try statement.run(row: ReplacedRow(cells: cells, rowID: rowID))
            }
        }
        return Int(connection.rowChanges - before)
    }
}

/// One row's values, as parameters of a statement.
private struct ReplacedRow: RowEncodable {
    let cells: ArraySlice<CopiedValue>
    let rowID: Int64

    func encode(to parameters: inout Parameters) {
        for cell in cells { parameters.append(cell) }
        parameters.append(rowID)
    }
}

extension SealedColumn {
    /// The column without the progress of its change.
    fileprivate var withoutCursor: SealedColumn {
        var column = self
        column.cursor = nil
        return column
    }
}
