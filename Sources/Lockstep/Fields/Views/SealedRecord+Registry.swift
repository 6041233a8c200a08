extension SealedRecord {
    /// What a fields keyring records of a registry; nil for a registry of the first format.
    /// - Parameter connection: The file that contains it.
    init?(
        _ registry: ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws {
        guard registry.format != .first, let database = try KeyringTable.database(connection)
        else { return nil }
        let columns = registry.columns.filter { $0.state != .plaintext && !$0.name.isEmpty }
        self.init(
            database: database, registry: registry.identity, changes: registry.changes,
            code: registry.code,
            lowestKey: keys.versions.first(where: keys.hasSecret) ?? 0,
            columns: columns.map { Column($0.table, $0.name, Definition($0)) })
    }

    /// This record with what only the keyring knows of the database.
    func keeping(_ known: SealedRecord?) -> SealedRecord {
        SealedRecord(
            database: database, seen: known?.seen ?? seen, registry: registry, changes: changes,
            code: code, lowestKey: lowestKey, origin: known?.origin ?? origin, columns: columns)
    }
}

extension SealedRecord.Column {
    /// Whether any value of the column in this file looks like a cell. Reads the whole column if none does.
    func holdsCells(_ connection: borrowing Connection) throws -> Bool {
        guard let shape = try SealedTable(table, connection), shape.column(name) != nil else {
            return false
        }
        let modes = SealingMode.allCases.filter { $0.rawValue == definition?.mode ?? $0.rawValue }
        let conditions = modes.map { CellShape.matches(SQLTokens.quote(name), $0) }
        let sql =
            "SELECT EXISTS (SELECT 1 FROM main.\(shape.quotedName) WHERE "
            + "\(conditions.joined(separator: " OR ")))"
        return try connection.value(SQL(verbatim: sql), as: Bool.self) == true
    }
}

extension SealedRecord.Definition {
    init(_ column: SealedColumn) {
        self.init(
            number: column.id, identity: column.identity, mode: column.mode.rawValue,
            padding: UInt32(column.padding.unit), state: column.state.rawValue,
            rowKey: column.rowKey?.spelling, indexes: column.indexes.map(SealedRecord.Index.init))
    }
}

extension SealedRecord.Index {
    init(_ index: SealedIndex) {
        self.init(
            number: index.index.number, name: index.name,
            normaliser: index.normaliser.spelling, bits: UInt32(index.index.bits),
            keyVersion: index.index.keyVersion)
    }
}
