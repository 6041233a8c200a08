/// One row's value of a sealed column, for handles that go to it directly.
struct SealedPlace {
    let column: SealedColumnAccess
    /// As the schema writes it.
    let place: BlobPlace
    let binding: CellBinding

    /// - Throws: ``LockstepError/Code/keyUnavailable`` for a column that the connection has no keys for;
    ///   ``LockstepError/Code/sqlFailed`` if there is no such row.
    init(_ place: BlobPlace, _ connection: borrowing Connection) throws {
        guard
            let (_, column) = connection.sealed?.column(named: place.column, of: place.table)
        else {
            throw LockstepError(
                .keyUnavailable,
                "\(place.table).\(place.column) is no sealed column that this connection can open",
                hint: "open the database with the fields keyring of its dataset")
        }
        if let obstacle = column.shape.obstacleToStreams {
            throw LockstepError(
                .misuse, "\(column.title) is no stream for SQLite: \(obstacle)",
                hint: "read and write it through \(OpenViews.name(of: column.column.table))")
        }
        self.column = column
        self.place = BlobPlace(
            table: column.column.table, column: column.column.name, row: place.row)
        binding = try column.binding(ofRow: place.row, connection)
    }

    var title: String { column.title }

    func missingRow() -> LockstepError { column.missingRow(place.row) }
}

extension SealedColumnAccess {
    /// To what the cell of a row is sealed.
    fileprivate func binding(
        ofRow row: Int64, _ connection: borrowing Connection
    ) throws -> CellBinding {
        guard column.mode == .random else { return .column }
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
                case .null, .real: throw wrongKey("a primary key can be no NULL and no REAL there")
                }
            })
    }

    fileprivate func missingRow(_ row: Int64) -> LockstepError {
        LockstepError(
            .sqlFailed, "there is no row \(row) in \(column.table)",
            hint: "insert it before its \(column.name) is written")
    }
}
