/// The place of one row's value in a sealed column, for handles that access it directly.
struct SealedPlace {
    let column: SealedColumnAccess
    /// The place as the schema spells it.
    let place: BlobPlace
    let binding: CellBinding

    /// - Throws: ``LockstepError/Code/keyUnavailable`` for a column whose keys the connection does not have;
    ///   ``LockstepError/Code/sqlFailed`` if the row does not exist.
    init(_ place: BlobPlace, _ connection: borrowing Connection) throws {
        let (_, column) = try connection.cellCall(place.column, of: place.table)
        if let obstacle = column.shape.obstacleToStreams {
            throw LockstepError(
                .misuse, "SQLite cannot stream \(column.title): \(obstacle)",
                hint: "read and write it through \(DecryptingViews.name(of: column.column.table))",
                context: column.column.context)
        }
        self.column = column
        self.place = BlobPlace(table: column.column.table, column: column.column.name, row: place.row)
        binding = try column.binding(ofRow: place.row, connection)
    }

    var title: String { column.title }

    func missingRow() -> LockstepError { column.missingRow(place.row) }
}

extension SealedColumnAccess {
    /// The place that a row's cell is sealed to.
    fileprivate func binding(
        ofRow row: Int64, _ connection: borrowing Connection
    ) throws -> CellBinding {
        guard column.mode.bindsToRow else { return .column }
        guard case .columns(let columns) = key, let rowID = shape.rowIDName else {
            return .row(row)
        }
        let names = columns.map { SQLTokens.quote($0.name) }.joined(separator: ", ")
        let statement = try connection.prepare(
            SQL(verbatim: "SELECT \(names) FROM main.\(shape.quotedName) WHERE \(rowID) = ?"))
        try statement.bind(values: [.integer(row)])
        let values = try statement.first { row in
            var values: [Value] = []
            for index in columns.indices { values.append(try row[index]) }
            return values
        }
        guard let values else { throw missingRow(row) }
        return .key(
            try values.map { value in
                switch value {
                case .integer(let number): .integer(number)
                case .text(let text): .text(text)
                case .blob(let bytes): .blob(bytes)
                case .null, .real: throw wrongKey("a primary key cannot contain NULL or REAL")
                }
            })
    }

    fileprivate func missingRow(_ row: Int64) -> LockstepError {
        LockstepError(
            .sqlFailed, "there is no row \(row) in \(column.table)",
            hint: "insert the row before you write its \(column.name)", context: column.context)
    }
}
