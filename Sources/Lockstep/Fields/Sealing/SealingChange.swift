// The column registry records the progress of a change, in the same transaction as the rows, so a cell is never in two
// states. The steps are one `begin`, one `runBatch` for each batch, `clean` outside any transaction, and one `finish`.

/// A change of a column's storage: plaintext becomes cells, cells become plaintext, or cells get a newer key.
///
/// It is a series of transactions. Others read and write between them, and after an interruption or a crash the change
/// continues where it stopped. Sealing and unsealing end with a rebuild of the file without its free pages and an empty
/// log, so that no earlier value remains in either. That takes free space of about twice the file's size, and other
/// writers wait for it.
public struct SealingChange: Sendable, Equatable {
    /// The default number of rows in one transaction, for which other writers wait some 10 ms.
    public static let defaultBatch = 5000

    /// The table of the column.
    @Exact public private(set) var table: String
    /// The column that changes.
    @Exact public private(set) var column: String
    /// The form that its values get.
    public let goal: SealingGoal
    /// The number of rows that one transaction changes.
    public var batch: Int

    /// A change of a column. Nothing runs yet.
    public init(
        table: String, column: String, goal: SealingGoal, batch: Int = Self.defaultBatch
    ) {
        self.table = table
        self.column = column
        self.goal = goal
        self.batch = batch
    }

    /// The result of ``begin(_:)``.
    enum Beginning {
        /// Nothing remains to be done.
        case done
        /// This many rows remain.
        case rows(Int)
    }

    // MARK: Beginning

    /// Checks the requested change and begins it in the open transaction, or finds how far it came.
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
            case .sealed, .resealing: return .done
            case .migrating: return .rows(try rowsLeft(after: added.cursor, shape, connection))
            case .plaintext:
                try ProtectionChecks.requireSealable(column, mode, shape, connection)
                for request in indexes {
                    _ = try IndexExposure.of(request, column, shape, connection)
                }
                try SealedIndexColumns(shape, column, indexes).add(connection)
            case .unsealing: break
            }
            try registry.move(added.id, to: .migrating)
            let owner = CellOwner(added.id, added.identity)
            try change(guards: .sealed, mode, shape, connection, versions: [owner.version], indexes: indexes)
        case (.unprotect, .sealed), (.unprotect, .migrating):
            guard let known else { break }
            try registry.move(known.id, to: .unsealing)
            try change(guards: .unsealing, known.mode, shape, connection)
        case (.reseal, .sealed) where known?.identity == nil:
            guard let known else { break }
            // Its cells belonged to its number until now.
            try registry.move(known.id, to: .resealing)
            // Until now they accept no cells that belong to an identity.
            try change(guards: .resealing, known.mode, shape, connection)
        case (.unprotect, .unsealing), (.reseal, .sealed), (.reseal, .resealing):
            if let known, known.state == .sealed { try restoreGuards(known, shape, connection) }
            return .rows(try rowsLeft(after: known?.cursor, shape, connection))
        case (.unprotect, .resealing):
            throw LockstepError(.misuse, "\(title) is being resealed", advice: "finish that first: \(.reseal)")
        case (.unprotect, .plaintext): return .done
        case (.unprotect, nil), (.reseal, _):
            throw LockstepError(
                .misuse, "\(title) is \(known?.state.rawValue ?? "not sealed")",
                hint: "check its name, and that the keyring belongs to its dataset")
        }
        try write(&registry, keys, connection)
        if case .protect = goal, known == nil || known?.state == .plaintext {
            try sealLookalikes(knownColumn(registry), shape, connection)
        }
        return .rows(try rowsLeft(after: nil, shape, connection))
    }

    /// Changes only the schema, for an empty database that others are compared with, and for a copy on which versions are
    /// tried: there the column can be sealed already.
    package func changeShape(_ connection: borrowing Connection) throws {
        let shape = try shape(connection)
        switch goal {
        case .protect(let mode, _, let requests):
            try ProtectionChecks.requireSealable(column, mode, shape, connection)
            let indexes = SealedIndexColumns(shape, column, requests)
            try indexes.add(connection, isShapeAlone: true)
            try change(guards: .sealed, mode, shape, connection, versions: [.second], indexes: requests)
            try indexes.index(for: column, connection)
        case .unprotect:
            let base = try SealingGuard.all(of: column, shape.name, connection).first?.base
            try change(guards: .plaintext, .random, shape, connection)
            guard let base else { return }
            try SealedIndexColumns.drop(base: base, shape, connection)
        case .reseal: break
        }
    }

    // MARK: Ending

    /// Removes the old values from the file, outside any transaction: free pages, the unused parts of other pages, and
    /// the log still contain them.
    func clean(_ connection: borrowing Connection) throws {
        guard goal != .reseal else { return }
        try connection.vacuum()
        // SQLite waits for readers, but refuses at once while another connection checkpoints.
        let end = Clock.monotonicMicroseconds + Int64(connection.core.authorizer.busyTimeout) * 1000
        while true {
            do throws(LockstepError) {
                _ = try connection.checkpoint(.truncate)
                return
            } catch {
                guard error.code == .busy else { throw error }
                guard Clock.monotonicMicroseconds < end else {
                    throw LockstepError(
                        .busy, "the log still contains earlier values of \(title), because a reader uses it",
                        hint: "end that reader, then run this again: it continues where it stopped")
                }
            }
            Clock.pause(milliseconds: 10)
        }
    }

    /// Ends the change in the open transaction. Returns false if rows must be changed again, because another program
    /// bypassed the guards or still sealed under an older key.
    func finish(
        _ keys: FieldKeys, _ connection: borrowing Connection, _ pass: SealingPass
    ) throws -> Bool {
        var registry = try knownRegistry(keys, connection)
        let sealed = try knownColumn(registry)
        guard try !isDoneByAnother(sealed) else { return true }
        let shape = try shape(connection)
        if try goal != .unprotect && isAnyLeft(sealed, shape, keys, connection) {
            guard pass.isLast(of: goal == .reseal ? 1 : 3) else {
                try registry.restart(sealed.id)
                try write(&registry, keys, connection)
                return false
            }
            try endPasses(sealed, shape, keys, connection)
        }
        if sealed.state == .resealing {
            try registry.move(sealed.id, to: .sealed)
            try change(guards: .sealed, sealed.mode, shape, connection, versions: [.second])
            try write(&registry, keys, connection)
            try renewTokens(knownColumn(registry), shape, connection)
            return true
        }
        switch goal {
        case .protect(_, _, let requests):
            try registry.move(sealed.id, to: .sealed)
            try SealedIndexColumns(shape, column, requests).index(
                for: column, connection)
        case .unprotect:
            try unsealLookalikes(sealed, keys, shape, connection)
            try registry.move(sealed.id, to: .plaintext)
            try change(guards: .plaintext, sealed.mode, shape, connection)
            for index in sealed.indexes {
                try SealedIndexColumns.drop(index.name, shape, connection)
            }
        case .reseal: try registry.restart(sealed.id)
        }
        try write(&registry, keys, connection)
        return true
    }

    /// Ends a change whose passes all left rows. Cells of an older key become those of the active one here and now;
    /// values that were never sealed would leave their plaintext in the file.
    private func endPasses(
        _ sealed: SealedColumn, _ shape: SealedTable, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws {
        guard goal == .reseal else {
            throw LockstepError(
                .busy, "another program keeps writing values to \(title) that are not sealed, past its guards",
                hint: "end that program, then run this again: it continues where it stopped")
        }
        try convertRest(sealed, shape, keys, connection)
    }

    /// Whether another program finished the change between two transactions of this one.
    /// - Throws: ``LockstepError/Code/busy`` if that program is changing the column in another way.
    func isDoneByAnother(_ column: SealedColumn) throws(LockstepError) -> Bool {
        switch (goal, column.state) {
        case (.protect, .migrating), (.unprotect, .unsealing), (.reseal, .sealed),
            (.reseal, .resealing):
            return false
        case (.protect, .sealed), (.protect, .resealing), (.unprotect, .plaintext): return true
        default:
            throw LockstepError(
                .busy, "another program is changing \(title), which is now \(column.state.rawValue)",
                hint:
                    "wait until that program has finished, then run this again if you still need it"
            )
        }
    }

    private func isAnyLeft(
        _ sealed: SealedColumn, _ shape: SealedTable, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> Bool {
        guard goal != .reseal else {
            return try CellKeySearch(shape: shape, column: column, mode: sealed.mode, wanted: .old(sealed, keys)).isAny(
                connection)
        }
        let condition = needsChange(sealed, keys)
        let sql = "SELECT EXISTS (SELECT 1 FROM main.\(shape.quotedName) WHERE \(condition))"
        return try connection.value(SQL(verbatim: sql), as: Bool.self) == true
    }

    /// An SQL condition: whether a row must still be changed.
    func needsChange(_ sealed: SealedColumn, _ keys: FieldKeys) -> String {
        let name = SQLTokens.quote(column)
        let isCell = CellShape.matches(name, sealed.mode)
        return switch goal {
        case .protect: "\(name) IS NOT NULL AND NOT \(isCell)"
        case .unprotect: isCell
        case .reseal: CellKeySearch.condition(column, sealed.mode, .old(sealed, keys))
        }
    }

    // MARK: Pieces

    /// The column's name in messages.
    var title: String { "\(table).\(column)" }

    /// The context of all errors of the change.
    var context: LockstepError.Context { .init(table: table, column: column) }

    func shape(_ connection: borrowing Connection) throws -> SealedTable {
        guard let shape = try SealedTable(table, connection) else {
            throw LockstepError(
                .misuse, "there is no table \(table) with a column \(column) to seal", hint: "check its name")
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

    func write(_ registry: inout ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing Connection) throws {
        try RegistryTables.write(&registry, keys, connection)
        try connection.sealed?.adopt(registry, keys, connection)
    }

    private func change(
        guards state: SealedColumn.State, _ mode: SealedColumn.Mode,
        _ shape: SealedTable, _ connection: borrowing Connection,
        versions: [BindingVersion] = BindingVersion.allCases, indexes: [SealedIndex.Request] = []
    ) throws {
        try SealingGuards(shape, column, mode, versions, indexes, connection).put(
            for: state, connection)
    }

    /// Makes the guards again that went with a table which was replaced by hand.
    private func restoreGuards(
        _ known: SealedColumn, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        let kinds = try SealingGuard.all(of: column, shape.name, connection).map(\.kind)
        let isBound = !shape.boundColumns(known.mode).isEmpty
        guard ![SealingGuard.Kind.insert, .update].allSatisfy(kinds.contains) || (isBound && !kinds.contains(.key))
        else { return }
        try change(guards: .sealed, known.mode, shape, connection, versions: [.second])
    }

    /// Seals the values that have the form of cells, all at once: from then on, while the column holds both, whatever
    /// has the form of a cell is one. Among random BLOBs it is one in a hundred.
    private func sealLookalikes(
        _ sealed: SealedColumn, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        let condition = CellShape.matches(SQLTokens.quote(column), sealed.mode)
        try connection.executeWithoutTriggers(conversion(sealed, shape, connection).update(condition), [])
    }

    /// Unseals the values that have the form of cells, which the batches have left sealed for the same reason.
    private func unsealLookalikes(
        _ sealed: SealedColumn, _ keys: FieldKeys, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        try connection.executeWithoutTriggers(
            conversion(sealed, shape, connection, isLast: true).update(needsChange(sealed, keys)), [])
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
