/// Makes a database's registry of sealed columns again, from what the fields keyring remembers of the database.
///
/// For a database whose cells and keys are whole while its registry is damaged or gone. The keyring records which
/// columns were sealed and how, and nobody can change that without its key. That the columns of the file are these is
/// proven by cells: of each column up to a hundred are opened, and compared with the tokens of its blind indexes.
/// Nothing is written if cells do not open as those of their column, if a column is not there, or if a column has the
/// guards of a sealed one and the keyring does not remember it. A column without values proves nothing, and stays
/// sealed.
///
/// The new registry has one change more than the keyring remembers. ``KeyringFile/remember(_:sealedIn:)`` makes it
/// remember that one. The numbers of columns that were sealed once and no longer are do not stay reserved.
public struct RegistryRebuild: Sendable, Hashable {
    /// A column of the new registry.
    public struct Column: Sendable, Hashable {
        /// Its name, as `table.column`.
        @Exact public private(set) var title: String
        /// How many cells were opened; 0 if it has no values, so that nothing is proven.
        public let cells: Int
    }

    /// The columns.
    public let columns: [Column]

    /// How many cells of a column are opened.
    static let sample = 100
    /// Longer ones are left out of the sample.
    private static let longestCell = 65_536

    /// Whether the database's registry is unusable or missing although the keyring remembers sealed columns, and a
    /// column of these holds cells.
    /// - Parameters:
    ///   - keys: The keys of the dataset, with the keyring's records.
    ///   - connection: A connection without field keys, which would refuse the file.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for the keyring of another dataset; the errors of reading.
    public static func isNeeded(
        _ keys: FieldKeys, in connection: borrowing Connection
    ) throws -> Bool {
        try connection.with(rights: .engine) {
            try connection.read { connection in
                guard let record = try record(keys, connection) else { return false }
                do {
                    if try RegistryTables.read(keys, connection) != nil { return false }
                } catch let error as LockstepError where error.code == .registryForged {
                    return true
                }
                return try record.columns.contains { try $0.holdsCells(connection) }
            }
        }
    }

    /// Makes the registry again, in one transaction.
    /// - Parameters:
    ///   - keys: The keys of the dataset, with the keyring's records.
    ///   - connection: A connection without field keys, which would refuse the file.
    /// - Returns: The columns, and what proves them.
    /// - Throws: ``LockstepError/Code/registryMissing`` if the keyring remembers no sealed columns of the database;
    ///   ``LockstepError/Code/registryForged`` with the column that cannot be proven, and why; the errors of reading
    ///   and writing.
    public static func run(
        _ keys: FieldKeys, in connection: borrowing Connection
    ) throws -> RegistryRebuild {
        try connection.with(rights: .engine) {
            try connection.write { connection in
                guard let record = try record(keys, connection) else {
                    throw LockstepError(
                        .registryMissing, "the fields keyring remembers no sealed columns of \(connection.path)",
                        hint: "restore the database from a backup", context: .file(connection.path))
                }
                try UntrustedSchema.requireSafe(connection)
                let columns = try record.columns.map { try $0.sealedColumn() }
                try requireRemembered(columns, connection)
                let proofs = try columns.map {
                    Column(title: $0.title, cells: try prove($0, keys, connection))
                }
                var registry = ColumnRegistry(
                    dataset: keys.dataset, identity: record.registry, database: record.database,
                    changes: record.changes, line: RegistryLine(lostBefore: record.changes),
                    columns: columns.sorted { $0.id < $1.id }, commitments: [:])
                registry.code = record.code
                try RegistryTables.remove(keys.dataset, connection)
                try RegistryTables.write(&registry, keys, connection)
                return RegistryRebuild(columns: proofs)
            }
        }
    }

    private static func record(
        _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> SealedRecord? {
        let record = try keys.memory.record(of: KeyringTable.database(connection))
        return record?.isSealed == true ? record : nil
    }

    /// Cells in other columns would no longer open.
    private static func requireRemembered(_ columns: [SealedColumn], _ connection: borrowing Connection) throws {
        for known in try SealingGuard.all(connection) {
            let isRemembered = columns.contains {
                SQLName($0.table) == SQLName(known.table) && SQLName($0.name) == SQLName(known.column)
            }
            guard isRemembered else {
                throw unproven(
                    "\(known.table).\(known.column)",
                    "the file has its guards, but the fields keyring does not remember it")
            }
        }
    }

    // MARK: Proof

    /// - Returns: How many cells opened.
    private static func prove(
        _ column: SealedColumn, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> Int {
        guard let shape = try SealedTable(column.table, connection),
            let place = shape.column(column.name)
        else { throw unproven(column.title, "the file has no such column") }
        try UntrustedSchema.requireStored(column, shape)
        guard !column.isSealed(toAnotherKeyThan: shape.key) else {
            throw unproven(column.title, "its table has another primary key now")
        }
        for index in column.indexes where shape.column(index.name) == nil {
            throw unproven(column.title, "its index \(index.name) is gone")
        }
        let name = SQLTokens.quote(place.name)
        let bound = shape.boundColumns(column.mode).map { SQLTokens.quote($0.name) }
        let tokens = column.indexes.map { SQLTokens.quote($0.name) }
        // Until it is sealed altogether, it can hold values that are not sealed yet.
        let condition = column.state.holdsCellsAlone ? "\(name) IS NOT NULL" : CellShape.matches(name, column.mode)
        let sql =
            "SELECT \(([name] + bound + tokens).joined(separator: ", ")) FROM main.\(shape.quotedName) "
            + "WHERE \(condition) AND length(\(name)) <= \(longestCell) LIMIT \(sample)"
        let rows = try connection.query(SQL(verbatim: sql)) { row in
            try (0...(bound.count + tokens.count)).map { try row[$0] as Value }
        }
        guard !rows.isEmpty else { return 0 }
        return try open(rows, bound.count, column, shape.key, keys)
    }

    private static func open(
        _ rows: [[Value]], _ bound: Int, _ column: SealedColumn, _ key: SealedTable.Key, _ keys: FieldKeys
    ) throws -> Int {
        let cipher = try ColumnCipher(of: column, keys, SealingTools())
        let hashers = try column.indexes.map { try BlindIndexHasher($0.index, keys) }
        var opened = 0
        var reason: String?
        for row in rows {
            do {
                guard case .blob(let cell) = row[0] else {
                    reason = reason ?? "it holds values that are not sealed"
                    continue
                }
                let place = try binding(row[1..<(1 + bound)], key)
                let value = try cipher.open(cell.span, at: place)
                let found = hashers.isEmpty ? [] : Array(row[(1 + bound)...])
                guard try hashers.map({ try $0.token([value]) ?? .null }) == found else {
                    reason = reason ?? "the tokens of its blind indexes are those of other values"
                    continue
                }
                opened += 1
            } catch let error as LockstepError {
                // A few cells can be damaged; of another column, none opens.
                reason = reason ?? error.message
            }
        }
        guard opened * 2 > rows.count else {
            throw unproven(column.title, reason ?? "no cell opens")
        }
        return opened
    }

    private static func binding(
        _ values: ArraySlice<Value>, _ key: SealedTable.Key
    ) throws(LockstepError) -> CellBinding {
        if values.isEmpty { return .column }
        if case .row = key, case .integer(let row) = values.first { return .row(row) }
        var parts: [CellBinding.KeyValue] = []
        for value in values {
            switch value {
            case .integer(let number): parts.append(.integer(number))
            case .text(let text): parts.append(.text(text))
            case .blob(let bytes): parts.append(.blob(bytes))
            case .null, .real:
                throw LockstepError(.misuse, "a primary key cannot contain NULL or REAL")
            }
        }
        return .key(parts)
    }

    private static func unproven(_ title: String, _ reason: String) -> LockstepError {
        LockstepError(
            .registryForged,
            "the registry of sealed columns cannot be made again: \(title) is not proven to be the column that "
                + "the fields keyring remembers: \(reason)",
            hint: "use the newest fields keyring; or restore the database from a backup")
    }
}

extension SealedRecord.Column {
    /// The column as the registry describes it.
    fileprivate func sealedColumn() throws -> SealedColumn {
        guard let definition, let mode = SealedColumn.Mode(rawValue: definition.mode),
            let padding = CellPadding(unit: Int(definition.padding)),
            let state = SealedColumn.State(rawValue: definition.state)
        else {
            throw LockstepError(
                .registryMissing,
                "the fields keyring does not remember how \(title) was sealed: an earlier build wrote its record",
                hint: "restore the database from a backup", context: .init(table: table, column: name))
        }
        var column = SealedColumn(
            id: definition.number, identity: definition.identity, table: table, name: name, mode: mode,
            padding: padding, state: state, rowKey: definition.rowKey.flatMap { SealedRowKey($0) })
        column.indexes = try definition.indexes.map { index in
            SealedIndex(
                index: try BlindIndex(
                    column: column.id, identity: column.indexIdentity, number: index.number,
                    [Normaliser(index.normaliser)], bits: Int(index.bits),
                    keyVersion: index.keyVersion),
                name: index.name)
        }
        return column
    }
}
