/// Which columns of a dataset are sealed, and under which keys: what a database says of it, authenticated.
///
/// Whoever can open the database can write to it; without the fields keyring nobody can make this say anything
/// else, but put back what it said before as a whole, which ``changes`` shows to whoever remembers it.
public struct ColumnRegistry: Sendable, Equatable {
    /// The 16-byte identifier of the dataset.
    public let dataset: [UInt8]
    /// The id of the database that it is in, 16 bytes; nil for one of the first format, which names none.
    public internal(set) var database: [UInt8]?
    /// How many times it was changed.
    public internal(set) var changes: UInt64
    /// Ascending by their identifiers.
    public internal(set) var columns: [SealedColumn]
    /// The MAC over all of it, as it was read or written last; empty before.
    var code: [UInt8] = []
    /// The fingerprints of the field keys that cells may be sealed under, by version.
    var commitments: [UInt32: [UInt8]]

    /// One without columns, for the keys that there are.
    init(_ keys: FieldKeys) {
        dataset = keys.dataset
        changes = 0
        columns = []
        commitments = [:]
        learn(keys)
    }

    init(
        dataset: [UInt8], database: [UInt8]? = nil, changes: UInt64, columns: [SealedColumn],
        commitments: [UInt32: [UInt8]]
    ) {
        self.dataset = dataset
        self.database = database
        self.changes = changes
        self.columns = columns
        self.commitments = commitments
    }

    /// The column of this name, whatever its state; names are compared as SQLite compares them.
    public func column(_ name: String, of table: String) -> SealedColumn? {
        columns.first {
            $0.name.asciiLowercased == name.asciiLowercased
                && $0.table.asciiLowercased == table.asciiLowercased
        }
    }

    // MARK: Changing

    /// Takes in the versions of the keyring's that it does not know.
    mutating func learn(_ keys: FieldKeys) {
        for version in keys.versions where commitments[version] == nil {
            commitments[version] = keys.commitment(version)
        }
    }

    /// Adds a column, which holds plaintext so far, or finds the one that was there before.
    /// - Throws: ``LockstepError/Code/misuse`` if it is sealed in another way, or there is no number left.
    mutating func add(
        _ name: String, of table: String, mode: SealedColumn.Mode, padding: CellPadding,
        indexes: [SealedIndex.Request] = [], indexKey: UInt32 = 1
    ) throws(LockstepError) -> SealedColumn {
        let former = column(name, of: table)
        if let former, former.state != .plaintext {
            let known = former.indexes.map {
                SealedIndex.Request($0.normaliser, bits: $0.index.bits)
            }
            guard former.mode == mode, former.padding == padding,
                known.map(\.spelling) == indexes.map(\.spelling)
            else {
                throw LockstepError(
                    .misuse, "\(table).\(name) is sealed in another way already",
                    hint: "unseal it first, then seal it as you want it")
            }
            return former
        }
        // Whether there is such a padding.
        _ = try padding.paddedLength(1)
        let (id, overflow) = (columns.last?.id ?? 0).addingReportingOverflow(1)
        guard !overflow else {
            throw LockstepError(.misuse, "the dataset's column numbers are used up")
        }
        // A column that was unsealed gives up its name, and never its number.
        if let former { try rename(former.id, to: "", of: table) }
        var column = SealedColumn(
            id: id, table: table, name: name, mode: mode, padding: padding, state: .plaintext)
        for (place, request) in indexes.enumerated() {
            let index = try BlindIndex(
                column: id, number: UInt32(truncatingIfNeeded: place + 1), [request.normaliser],
                bits: request.bits, keyVersion: indexKey)
            column.indexes.append(
                SealedIndex(index: index, name: SealedIndex.name(request, of: name)))
        }
        columns.append(column)
        return column
    }

    /// Moves a column to another state, from its first row.
    /// - Throws: ``LockstepError/Code/misuse`` for a way that there is not.
    mutating func move(_ id: UInt32, to state: SealedColumn.State) throws(LockstepError) {
        let index = try index(id)
        let column = columns[index]
        guard column.state.successors.contains(state) else {
            throw LockstepError(
                .misuse,
                "\(column.table).\(column.name) cannot go from \(column.state.rawValue) to \(state.rawValue)"
            )
        }
        columns[index].state = state
        columns[index].cursor = nil
        if state == .plaintext { columns[index].indexes = [] }
    }

    /// Notes how far the way to another state has come.
    mutating func advance(_ id: UInt32, to row: Int64) throws(LockstepError) {
        columns[try index(id)].cursor = row
    }

    /// Goes through the rows from the first one again.
    mutating func restart(_ id: UInt32) throws(LockstepError) {
        columns[try index(id)].cursor = nil
    }

    /// Gives a column another name: its cells stay as they are.
    mutating func rename(
        _ id: UInt32, to name: String, of table: String
    ) throws(LockstepError) {
        let index = try index(id)
        (columns[index].table, columns[index].name) = (table, name)
    }

    /// Notes what the cells of each column are bound to, where it is not noted yet.
    mutating func nameRowKeys(_ connection: borrowing Connection) throws {
        for index in columns.indices {
            let column = columns[index]
            guard column.state != .plaintext, column.mode == .random, !column.name.isEmpty else {
                columns[index].rowKey = nil
                continue
            }
            guard column.rowKey == nil,
                let shape = try SealedTable(column.table, connection)
            else { continue }
            columns[index].rowKey = SealedRowKey(shape.key)
        }
    }

    /// Notes the primary key that a column's table has now.
    mutating func renameRowKey(_ id: UInt32, _ connection: borrowing Connection) throws {
        let index = try index(id)
        columns[index].rowKey = try SealedTable(columns[index].table, connection).flatMap {
            SealedRowKey($0.key)
        }
    }

    private func index(_ id: UInt32) throws(LockstepError) -> Int {
        guard let index = columns.firstIndex(where: { $0.id == id }) else {
            throw LockstepError(.misuse, "the dataset has no column \(id)")
        }
        return index
    }
}
