/// The registry of a dataset: which columns are sealed, and under which keys. The database stores it, authenticated.
///
/// Anyone who can open the database can write to it. Without the fields keyring they cannot change what the registry
/// says; they can only put another state of it back as a whole, older or from a fork, which a reader notices that remembers
/// a state, because each holds those before it.
package struct ColumnRegistry: Sendable, Equatable {
    /// The 16-byte identifier of the dataset.
    package let dataset: [UInt8]
    /// Its own identity, 16 bytes, which copies of the database keep; nil before it is first written.
    package internal(set) var identity: [UInt8]?
    /// The id of the database in which it was last changed, 16 bytes; nil before it is first written. A copy keeps it,
    /// and a fork, until its own first change.
    package internal(set) var database: [UInt8]?
    /// The number of changes so far.
    package internal(set) var changes: UInt64
    /// The states before this one.
    var line: RegistryLine
    /// The columns, in ascending order of their identifiers.
    package internal(set) var columns: [SealedColumn]
    /// The MAC over the whole registry, as last read or written; empty before that.
    package internal(set) var code: [UInt8] = []
    /// The version of the field key that makes the MACs, as last read or written; 0 before that.
    var keyVersion: UInt32 = 0
    /// The fingerprints of the field keys that seal cells, by version.
    var commitments: [UInt32: [UInt8]]

    /// A registry without columns, for the versions in `keys`.
    package init(_ keys: FieldKeys) {
        dataset = keys.dataset
        changes = 0
        line = RegistryLine()
        columns = []
        commitments = [:]
        learn(keys)
    }

    init(
        dataset: [UInt8], identity: [UInt8]?, database: [UInt8]?, changes: UInt64, line: RegistryLine,
        columns: [SealedColumn], commitments: [UInt32: [UInt8]]
    ) {
        self.dataset = dataset
        self.identity = identity
        self.database = database
        self.changes = changes
        self.line = line
        self.columns = columns
        self.commitments = commitments
    }

    /// The column of this name, in any state.
    package func column(_ name: String, of table: String) -> SealedColumn? {
        columns.first {
            SQLName($0.name) == SQLName(name) && SQLName($0.table) == SQLName(table)
        }
    }

    // MARK: Changing

    /// Adds the keyring's key versions that the registry does not have yet.
    mutating func learn(_ keys: FieldKeys) {
        for version in keys.versions where commitments[version] == nil {
            commitments[version] = keys.commitment(version)
        }
    }

    /// Adds a column, which still holds plaintext, or returns the existing one.
    /// - Throws: ``LockstepError/Code/misuse`` if the column is already sealed with other settings, or no column
    ///   number is left.
    package mutating func add(
        _ name: String, of table: String, mode: SealedColumn.Mode, padding: CellPadding,
        indexes: [SealedIndex.Request] = [], indexKey: UInt32 = 1
    ) throws(LockstepError) -> SealedColumn {
        let former = column(name, of: table)
        if let former, former.state != .plaintext {
            let known = former.indexes.map {
                SealedIndex.Request($0.normaliser, bits: $0.index.bits)
            }
            guard former.mode == mode, former.padding == padding, known.map(\.spelling) == indexes.map(\.spelling)
            else {
                throw LockstepError(
                    .misuse, "\(table).\(name) is already sealed with other settings",
                    hint: "unseal the column first, then seal it with the new settings", context: former.context)
            }
            return former
        }
        // Refuses an invalid padding.
        _ = try padding.paddedLength(1)
        let (id, overflow) = (columns.last?.id ?? 0).addingReportingOverflow(1)
        guard !overflow else {
            throw LockstepError(.misuse, "the dataset has no column number left")
        }
        // An unsealed column gives up its name but keeps its number.
        if let former { try rename(former.id, to: "", of: table) }
        let identity = try Random.bytes(CellOwner.identityLength)
        var column = SealedColumn(
            id: id, identity: identity, table: table, name: name, mode: mode, padding: padding, state: .plaintext)
        for (place, request) in indexes.enumerated() {
            let index = try BlindIndex(
                column: id, identity: identity, number: UInt32(truncatingIfNeeded: place + 1),
                [request.normaliser], bits: request.bits, keyVersion: indexKey)
            column.indexes.append(SealedIndex(index: index, name: SealedIndex.name(request, of: name)))
        }
        columns.append(column)
        return column
    }

    /// Moves a column to another state and starts at its first row.
    /// - Throws: ``LockstepError/Code/misuse`` for a transition that does not exist.
    package mutating func move(_ id: UInt32, to state: SealedColumn.State) throws(LockstepError) {
        let index = try index(id)
        let column = columns[index]
        guard column.state.successors.contains(state) else {
            throw LockstepError(
                .misuse, "\(column.table).\(column.name) cannot go from \(column.state.rawValue) to \(state.rawValue)",
                context: column.context)
        }
        if state == .resealing {
            columns[index].identity = try Random.bytes(CellOwner.identityLength)
        }
        columns[index].state = state
        columns[index].cursor = nil
        if state == .plaintext { columns[index].indexes = [] }
        let owner = columns[index].indexIdentity
        columns[index].indexes = try columns[index].indexes.map { one throws(LockstepError) in
            try one.belonging(to: owner)
        }
    }

    /// Becomes the next state, which a database with this id will have.
    /// - Throws: ``LockstepError/Code/misuse`` after the last possible change.
    mutating func begin(in database: [UInt8]) throws(LockstepError) {
        guard changes < UInt64(Int64.max) else {
            throw LockstepError(.misuse, "the dataset's registry has reached the maximum number of changes")
        }
        if changes > 0 { try line.append(code) }
        changes += 1
        if identity == nil { identity = try Random.bytes(CellOwner.identityLength) }
        self.database = database
    }

    /// Records how many rows the move to another state has covered.
    mutating func advance(_ id: UInt32, to row: Int64) throws(LockstepError) {
        columns[try index(id)].cursor = row
    }

    /// Starts again at the first row.
    mutating func restart(_ id: UInt32) throws(LockstepError) {
        columns[try index(id)].cursor = nil
    }

    /// Renames a column; its cells stay as they are.
    package mutating func rename(
        _ id: UInt32, to name: String, of table: String
    ) throws(LockstepError) {
        let index = try index(id)
        (columns[index].table, columns[index].name) = (table, name)
    }

    /// Records what each column's cells are bound to, where that is missing.
    mutating func nameRowKeys(_ rowKey: (_ table: String) throws -> SealedRowKey?) throws {
        for index in columns.indices {
            let column = columns[index]
            guard column.state != .plaintext, column.mode.bindsToRow, !column.name.isEmpty else {
                columns[index].rowKey = nil
                continue
            }
            guard column.rowKey == nil else { continue }
            columns[index].rowKey = try rowKey(column.table)
        }
    }

    /// Records what a column's cells are bound to, under its present name.
    package mutating func setRowKey(_ id: UInt32, _ key: SealedRowKey?) throws(LockstepError) {
        columns[try index(id)].rowKey = key
    }

    /// Records the current primary key of a column's table.
    mutating func renameRowKey(_ id: UInt32, _ connection: borrowing Connection) throws {
        let table = columns[try index(id)].table
        try setRowKey(id, SealedTable(table, connection).flatMap { SealedRowKey($0.key) })
    }

    private func index(_ id: UInt32) throws(LockstepError) -> Int {
        guard let index = columns.firstIndex(where: { $0.id == id }) else {
            throw LockstepError(.misuse, "the dataset has no column \(id)")
        }
        return index
    }
}
