internal import Lockstep

/// The registries of sealed columns on a server: the tables that RegistryTables.swift describes, in one schema, with
/// the same rows. Those of a copy stay as they are until the server's own first change.
///
/// Anyone who can write them, as the server's operator can, can write anything: the MACs decide.
struct ServerRegistry {
    let schema: String

    private func store(_ connection: borrowing ServerConnection) -> ServerTables { ServerTables(schema, connection) }

    /// The table of datasets as statements name it.
    private var name: String { "\(SQLTokens.quote(schema)).\(SQLTokens.quote(StoredTable.datasets.name))" }

    /// No registry has more rows.
    private static let limit = 65_536

    /// A state of a dataset's registry, which nothing proves.
    struct Mark: Sendable, Equatable {
        let dataset: [UInt8]
        let changes: Int64
        let mac: [UInt8]
    }

    /// The states that the server has now; empty without a registry.
    /// - Parameters:
    ///   - known: What the connection has seen, which saves the query that finds out whether they are tables.
    ///   - dataset: The only dataset to look at; nil for all.
    func marks(
        _ connection: borrowing ServerConnection, after known: [Mark]? = nil, of dataset: [UInt8]? = nil
    ) throws -> [Mark] {
        let kinds: [String: EngineTable.Kind]? =  // exact: names of the source
            known?.isEmpty == false ? [StoredTable.datasets.name: .table] : nil
        let rows = try ServerTables(schema, connection, kinds).rows(of: .datasets, with: dataset.map(Value.blob))
        return try rows?.map { row in Mark(dataset: try row[0], changes: try row[1], mac: try row[3]) } ?? []
    }

    /// Reads the states for ``marks(in:)``, in any order.
    var lookText: String {
        "SELECT dataset, changes, mac FROM \(name) LIMIT \(Self.limit)"
    }

    /// The states in an answer to ``lookText``, in the binary form; nil if it is in no form that states have.
    func marks(in result: ServerResult) -> [Mark]? {
        let types = (0..<result.columnCount).map { result.type($0) }
        guard types == [ServerType.bytea, ServerType.int8, ServerType.bytea] else { return nil }
        var marks: [Mark] = []
        for row in 0..<result.rowCount {
            let parts = (0..<3).map { column in
                unsafe result.withBytes(row, column) { unsafe Array($0) }
            }
            guard parts[1].count == 8 else { return nil }
            let changes = parts[1].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            marks.append(Mark(dataset: parts[0], changes: Int64(bitPattern: changes), mac: parts[2]))
        }
        return marks.sorted { $0.dataset.lexicographicallyPrecedes($1.dataset) }
    }

    /// The rows of a dataset's registry, without proof; nil if the server has none.
    /// - Throws: `LockstepError.Code.registryForged` for tables that Lockstep did not make.
    func records(
        of dataset: [UInt8], _ connection: borrowing ServerConnection
    ) throws -> RegistryRecords? {
        try RegistryTables.records(of: dataset, store(connection))
    }

    /// The columns of all datasets that are not plaintext, as the tables claim without proof.
    func claimed(
        _ connection: borrowing ServerConnection
    ) throws -> [(dataset: [UInt8], column: SealedColumn)] { try RegistryTables.claims(store(connection)) }

    // MARK: Writing

    /// Writes the dataset's new registry in the open transaction.
    func write(_ registry: inout ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing ServerConnection) throws {
        let id = try ServerIdentity(schema: schema).make(connection)
        let records = try RegistryRecords(changing: &registry, keys, in: id) { table in
            try ServerTable(table, in: schema, connection).flatMap {
                SealedRowKey($0.shape.key)
            }
        }
        try write(records, connection)
    }

    /// Writes the rows of a registry, in place of those of its dataset, in the open transaction.
    func write(_ records: RegistryRecords, _ connection: borrowing ServerConnection) throws {
        try RegistryTables.write(records, store(connection))
    }
}
