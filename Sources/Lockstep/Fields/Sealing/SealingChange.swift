/// A change of how a column is stored, as a series of transactions: others read and write between them, and
/// killed anywhere it goes on where it was.
///
/// How far it has come stands in the column registry, in the same transaction as the rows: a cell is never
/// in two states. The steps are one ``begin(_:)``, as many ``runBatch(_:_:)`` as there are batches,
/// ``clean(_:)`` outside any transaction, and one ``finish(_:)``.
struct SealingChange: Sendable, Equatable {
    let table: String
    let column: String
    let goal: SealingGoal

    /// What ``begin(_:)`` has found.
    enum Beginning {
        /// There is nothing to do any more.
        case done
        /// So many rows are left to look at.
        case rows(Int)
    }

    // MARK: Beginning

    /// Checks what is asked for, and begins it, in the transaction that is open; or finds how far it came.
    func begin(_ keys: FieldKeys, _ connection: borrowing Connection) throws -> Beginning {
        let shape = try shape(connection)
        var registry = try RegistryTables.read(keys, connection) ?? ColumnRegistry(keys)
        let known = registry.column(column, of: table)
        switch (goal, known?.state) {
        case (.protect(let mode, let padding, let indexes), _):
            let added = try registry.add(
                column, of: shape.name, mode: mode, padding: padding, indexes: indexes,
                indexKey: keys.activeIndexVersion)
            switch added.state {
            case .sealed: return .done
            case .migrating: return .rows(try rowsLeft(after: added.cursor, shape, connection))
            case .plaintext:
                try ProtectionChecks.requireSealable(column, mode, shape, connection)
                try requireNothingLikeCells(mode, shape, connection)
                for request in indexes {
                    _ = try IndexExposure.of(request, column, shape, connection)
                }
                try SealedIndexColumns(shape, column, indexes).add(connection)
            case .unsealing: break
            }
            try registry.move(added.id, to: .migrating)
            try change(guards: .sealed, mode, indexes, shape, connection)
        case (.unprotect, .sealed), (.unprotect, .migrating):
            guard let known else { break }
            try registry.move(known.id, to: .unsealing)
            try change(guards: .unsealing, known.mode, [], shape, connection)
        case (.unprotect, .unsealing), (.reseal, .sealed):
            return .rows(try rowsLeft(after: known?.cursor, shape, connection))
        case (.unprotect, .plaintext), (.unprotect, nil), (.reseal, _):
            throw LockstepError(
                .misuse, "\(title) is \(known?.state.rawValue ?? "not sealed")",
                hint: "check its name, and that the keyring is its dataset's")
        }
        try write(&registry, keys, connection)
        return .rows(try rowsLeft(after: nil, shape, connection))
    }

    /// What changes in the schema, for a database that is made to compare others with and has no rows.
    func changeShape(_ connection: borrowing Connection) throws {
        let shape = try shape(connection)
        switch goal {
        case .protect(let mode, _, let requests):
            try ProtectionChecks.requireSealable(column, mode, shape, connection)
            let indexes = SealedIndexColumns(shape, column, requests)
            try indexes.add(connection)
            try change(guards: .sealed, mode, requests, shape, connection)
            try indexes.index(for: column, connection)
        case .unprotect:
            let base = try SealingGuard.all(of: column, shape.name, connection).first?.base
            try change(guards: .plaintext, .random, [], shape, connection)
            guard let base else { return }
            try SealedIndexColumns.drop(base: base, shape, connection)
        case .reseal: break
        }
    }

    // MARK: Ending

    /// Takes out of the file what was there before, outside any transaction: pages that are free, and the
    /// rest of pages that are not, still hold it, and so does the log.
    func clean(_ connection: borrowing Connection) throws {
        guard goal != .reseal else { return }
        try connection.vacuum()
        do throws(LockstepError) {
            _ = try connection.checkpoint(.truncate)
        } catch {
            guard error.code == .busy else { throw error }
            throw LockstepError(
                .busy, "the log still holds what \(title) was, and a reader keeps it",
                hint: "end that reader, then run this again: it goes on where it was")
        }
    }

    /// Ends it, in the transaction that is open. False if there are rows to do again, since somebody has
    /// written around the guards.
    func finish(_ keys: FieldKeys, _ connection: borrowing Connection) throws -> Bool {
        var registry = try knownRegistry(keys, connection)
        let sealed = try knownColumn(registry)
        guard try !isDoneByAnother(sealed) else { return true }
        let shape = try shape(connection)
        guard try !isAnyLeft(sealed, shape, keys, connection) else {
            try registry.restart(sealed.id)
            try write(&registry, keys, connection)
            return false
        }
        switch goal {
        case .protect(_, _, let requests):
            try registry.move(sealed.id, to: .sealed)
            try SealedIndexColumns(shape, column, requests).index(
                for: column, connection)
        case .unprotect:
            try registry.move(sealed.id, to: .plaintext)
            try change(guards: .plaintext, sealed.mode, [], shape, connection)
            for index in sealed.indexes {
                try SealedIndexColumns.drop(index.name, shape, connection)
            }
        case .reseal: try registry.restart(sealed.id)
        }
        try write(&registry, keys, connection)
        return true
    }

    /// Whether another program has brought the column to its end between two transactions of this one.
    /// - Throws: ``LockstepError/Code/busy`` if it is doing something else with the column.
    func isDoneByAnother(_ column: SealedColumn) throws(LockstepError) -> Bool {
        switch (goal, column.state) {
        case (.protect, .migrating), (.unprotect, .unsealing), (.reseal, .sealed): return false
        case (.protect, .sealed), (.unprotect, .plaintext): return true
        default:
            throw LockstepError(
                .busy, "another program changes \(title), which is \(column.state.rawValue) now",
                hint: "wait until it has ended, then run this again if it is still wanted")
        }
    }

    private func isAnyLeft(
        _ sealed: SealedColumn, _ shape: SealedTable, _ keys: FieldKeys,
        _ connection: borrowing Connection
    ) throws -> Bool {
        var condition = isDue(sealed.mode, keys)
        let large = goal == .reseal ? LargeCells(shape, column) : nil
        if let large { condition = "CASE WHEN \(large.condition) THEN 0 ELSE \(condition) END" }
        let sql = "SELECT EXISTS (SELECT 1 FROM main.\(shape.quotedName) WHERE \(condition))"
        if try connection.value(SQL(verbatim: sql), as: Bool.self) == true { return true }
        return try large?.rows("", [], connection).contains { row in
            guard let prefix = try large?.prefix(row, connection) else { return false }
            return prefix.keyVersion != keys.activeVersion
        } ?? false
    }

    /// In SQL, whether a row has still to be changed.
    func isDue(_ mode: SealedColumn.Mode, _ keys: FieldKeys) -> String {
        let name = SQLTokens.quote(column)
        let isCell = CellShape.matches(name, mode)
        let version = Hex.encode(keys.activeVersion.bigEndianBytes)
        return switch goal {
        case .protect: "\(name) IS NOT NULL AND NOT \(isCell)"
        case .unprotect: isCell
        case .reseal: "\(isCell) AND substr(\(name), 2, 4) <> x'\(version)'"
        }
    }

    // MARK: Pieces

    /// How messages call the column.
    var title: String { "\(table).\(column)" }

    func shape(_ connection: borrowing Connection) throws -> SealedTable {
        guard let shape = try SealedTable(table, connection) else {
            throw LockstepError(
                .misuse, "there is no table \(table) whose column \(column) could be sealed",
                hint: "check its name")
        }
        return shape
    }

    func knownRegistry(
        _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> ColumnRegistry {
        guard let registry = try RegistryTables.read(keys, connection) else {
            throw Self.keysMissing(title)
        }
        return registry
    }

    func knownColumn(_ registry: ColumnRegistry) throws(LockstepError) -> SealedColumn {
        guard let sealed = registry.column(column, of: table) else { throw Self.keysMissing(title) }
        return sealed
    }

    func write(
        _ registry: inout ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws {
        try RegistryTables.write(&registry, keys, connection)
        try connection.sealed?.adopt(registry, keys, connection)
    }

    private func change(
        guards state: SealedColumn.State, _ mode: SealedColumn.Mode,
        _ indexes: [SealedIndex.Request], _ shape: SealedTable,
        _ connection: borrowing Connection
    ) throws {
        try SealingGuards(shape, column, mode, indexes, connection).put(for: state, connection)
    }

    /// A value that could not be told from a cell while the column holds both.
    private func requireNothingLikeCells(
        _ mode: SealedColumn.Mode, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        let condition = CellShape.matches(SQLTokens.quote(column), mode)
        let count = try connection.value(
            SQL(verbatim: "SELECT count(*) FROM main.\(shape.quotedName) WHERE \(condition)"),
            as: Int.self)
        guard count == 0 else {
            throw LockstepError(
                .misuse,
                "\(title) has \(count ?? 0) values that begin as sealed ones do, and could not be told from them",
                hint: "if they are cells of another database, open them there first")
        }
    }

    private func rowsLeft(
        after cursor: Int64?, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws -> Int {
        guard let cursor, let rowID = shape.rowIDName else {
            return try connection.value(
                SQL(verbatim: "SELECT count(*) FROM main.\(shape.quotedName)"), as: Int.self) ?? 0
        }
        let rest = try connection.prepare(
            SQL(verbatim: "SELECT count(*) FROM main.\(shape.quotedName) WHERE \(rowID) > ?"))
        try rest.bind(values: [.integer(cursor)])
        return try rest.first { row in try row[0] as Int } ?? 0
    }

    static func keysMissing(_ title: String) -> LockstepError {
        LockstepError(
            .keyUnavailable, "\(title) cannot be changed without the fields keyring of its dataset",
            hint: "open the database with it")
    }
}
