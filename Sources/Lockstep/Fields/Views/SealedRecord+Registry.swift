extension SealedRecord {
    /// What a fields keyring records of a registry; nil for a file without an id.
    /// - Parameter connection: The file that contains it.
    init?(
        _ registry: ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws {
        guard let database = try KeyringTable.database(connection) else { return nil }
        self.init(registry, keys, of: database, from: connection.forks[database])
    }

    /// What a fields keyring records of the registry of this database.
    /// - Parameter origin: The database that it was forked from.
    package init(_ registry: ColumnRegistry, _ keys: FieldKeys, of database: [UInt8], from origin: [UInt8]?) {
        let columns = registry.columns.filter { $0.state != .plaintext && !$0.name.isEmpty }
        self.init(
            database: database, registry: registry.identity, changes: registry.changes,
            code: registry.code,
            lowestKey: keys.versions.first(where: keys.hasSecret) ?? 0,
            origin: origin,
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
            "SELECT EXISTS (SELECT 1 FROM main.\(shape.quotedName) WHERE " + "\(conditions.joined(separator: " OR ")))"
        return try connection.value(SQL(verbatim: sql), as: Bool.self) == true
    }
}

extension Connection {
    /// The databases from which others were forked, as the keyring of the connection's key records them; never what the
    /// file says.
    fileprivate var forks: [[UInt8]: [UInt8]] { core.attachment.key?.value.forks ?? [:] }

    /// The databases from which this one was forked, the nearest first.
    func origins(of database: [UInt8]) -> [[UInt8]] {
        let forks = forks
        var found: [[UInt8]] = []
        var next = forks[database]
        while let origin = next, origin != database, !found.contains(origin) {
            found.append(origin)
            next = forks[origin]
        }
        return found
    }

    /// What a fork of which a fields keyring remembers nothing yet must prove: what is remembered of the database that
    /// it was forked from. Nil for any other database.
    func inherited(_ database: [UInt8]?, by keys: FieldKeys) -> SealedRecord? {
        guard let database, keys.memory.record(of: database) == nil else { return nil }
        return origins(of: database).lazy.compactMap { keys.memory.record(of: $0) }.first
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
