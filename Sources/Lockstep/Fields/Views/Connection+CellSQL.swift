/// SQL that opens and makes single cells, for statements that do not use a readable view.
extension Connection {
    /// SQL for the value of a sealed cell:
    ///
    ///     let title = try db.opening("title", of: "movie", key: "id")
    ///     try db.query("SELECT \(title) FROM movie WHERE year = 1942") { row in try row[0] as String }
    ///
    /// The SQL works only on this connection: it contains the connection's capability, without which the functions that
    /// open and seal refuse. Use it only in this connection's own statements; a trigger, view or index of the file that
    /// contained it would run nowhere.
    /// - Parameters:
    ///   - column: The sealed column, by its current name in the registry.
    ///   - table: Its table.
    ///   - cell: SQL for the cell; the column itself if nil.
    ///   - key: SQL for the values of the row's primary key as stored, in the key's order; none for a deterministic
    ///     column.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` for a column whose keys this connection does not have. The
    ///   statement itself fails if a cell does not open.
    public func opening(
        _ column: String, of table: String, cell: SQL? = nil, key: SQL...
    ) throws -> SQL {
        let (capability, open) = try cellCall(column, of: table)
        let cell = cell ?? SQL(verbatim: SQLTokens.quote(open.column.name))
        return "lockstep_open(\(capability), \(cell)\(Self.arguments(key)))"
    }

    /// SQL for the cell of a value, in the row with this primary key: see ``opening(_:of:cell:key:)``.
    /// - Throws: ``LockstepError/Code/keyUnavailable``.
    public func sealing(
        _ column: String, of table: String, value: SQL, key: SQL...
    ) throws -> SQL {
        let (capability, _) = try cellCall(column, of: table)
        return "lockstep_seal(\(capability), \(value)\(Self.arguments(key)))"
    }

    /// SQL for the token of a value in one of the column's blind indexes.
    /// - Parameters:
    ///   - column: The sealed column.
    ///   - table: Its table.
    ///   - index: The index, by its normaliser.
    ///   - value: SQL for the value.
    /// - Throws: ``LockstepError/Code/keyUnavailable``. The statement fails if the column has no such index.
    public func token(
        _ column: String, of table: String, index: Normaliser, value: SQL
    ) throws -> SQL {
        let (capability, _) = try cellCall(column, of: table)
        return "lockstep_token(\(capability), \(index.spelling), \(value))"
    }

    /// The capability that SQL passes for the sealed column with this name, and the column.
    func cellCall(
        _ column: String, of table: String
    ) throws(LockstepError) -> ([UInt8], SealedColumnAccess) {
        guard let session = sealed, let (number, open) = session.column(named: column, of: table) else {
            throw LockstepError(
                .keyUnavailable, "\(table).\(column) is not a sealed column that this connection can open",
                hint: "open the database with the fields keyring of its dataset",
                context: .init(table: table, column: column))
        }
        return (session.capability.argument(for: number), open)
    }

    private static func arguments(_ key: [SQL]) -> SQL {
        var sql: SQL = ""
        for part in key { sql = "\(sql), \(part)" }
        return sql
    }
}
