extension RegistryRecords {
    /// The rows of the registry's next change, which the registry then is, under the active key.
    /// - Parameters:
    ///   - database: The id of the database that gets them.
    ///   - rowKey: What the cells of a table's columns are bound to, asked for where the registry does not say.
    /// - Throws: ``LockstepError/Code/misuse`` after the last possible change; the errors of `rowKey`.
    package init(
        changing registry: inout ColumnRegistry, _ keys: FieldKeys, in database: [UInt8],
        rowKey: (_ table: String) throws -> SealedRowKey?
    ) throws {
        try registry.begin(in: database)
        registry.learn(keys)
        try registry.nameRowKeys(rowKey)
        let codes = try RegistryCodes(registry, keys, keys.activeVersion)
        (registry.code, registry.keyVersion) = (codes.set, keys.activeVersion)
        self.init(
            id: registry.dataset,
            dataset: DatasetRow(
                changes: Int64(registry.changes), keyVersion: Int64(keys.activeVersion), mac: codes.set,
                database: registry.database, registry: registry.identity, earlier: registry.line.codes,
                folded: registry.line.folded), columns: zip(registry.columns, codes.columns).map(ColumnRow.init),
            indexes: zip(registry.columns.flatMap(\.indexes), codes.indexes).map { one, mac in
                IndexRow(one, keys.indexCommitment(one.index.keyVersion) ?? [], mac)
            },
            fieldKeys: registry.commitments.sorted { $0.key < $1.key }.map {
                FieldKeyRow(version: Int64($0.key), commitment: $0.value)
            })
    }
}

extension RegistryRecords.ColumnRow {
    fileprivate init(_ column: SealedColumn, _ mac: [UInt8]) {
        self.init(
            id: Int64(column.id), table: column.table, name: column.name, mode: column.mode.rawValue,
            padding: Int64(column.padding.unit), state: column.state.rawValue, cursor: column.cursor, mac: mac,
            rowKey: column.rowKey?.spelling, identity: column.identity)
    }
}

extension RegistryRecords.IndexRow {
    fileprivate init(_ index: SealedIndex, _ commitment: [UInt8], _ mac: [UInt8]) {
        self.init(
            column: Int64(index.index.column), number: Int64(index.index.number), name: index.name,
            normaliser: index.normaliser.spelling, bits: Int64(index.index.bits),
            keyVersion: Int64(index.index.keyVersion), commitment: commitment, mac: mac)
    }
}
