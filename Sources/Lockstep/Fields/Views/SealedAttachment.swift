/// The sealed columns of one connection: what the database says of them, the ciphers of those that it has keys
/// for, and the views through which SQL reads and writes them.
final class SealedAttachment: ConnectionAttachment {
    private let fields: SealedFields
    private let tools = SealingTools()
    /// What calls of this connection's own SQL show.
    let capability: CellCapability
    /// In the order in which they became known, which numbers them for SQL.
    private var columns: [SealedColumnAccess] = []
    private var known: Known?
    private var isLearning = false
    private var isWithoutViews = false
    /// What the file has proven so far.
    let proof: SealedProof
    private var views = OpenViews()

    /// What it was when it was last looked at.
    private struct Known: Equatable {
        var dataVersion: Int64
        let schemaVersion: Int64
        /// How often each dataset was changed, 0 for one that the database does not have.
        let changes: [UInt64]
    }

    init(_ fields: SealedFields, _ connection: borrowing Connection) throws {
        self.fields = fields
        capability = try CellCapability()
        proof = fields.proof ?? SealedProof()
        try connection.add("lockstep_begins", argumentCount: 2, BeginsFunction())
        try connection.add(
            "lockstep_inserted", argumentCount: 2, ViewInsertion(connection.core, capability))
        for (name, work) in CellFunction.all {
            try connection.add(name, argumentCount: nil, CellFunction(self, work))
        }
        try refresh(connection)
    }

    // MARK: Views

    /// Runs `body` without the views, which would keep the schema from being changed under them.
    func withoutViews<Result>(
        _ connection: borrowing Connection, _ body: () throws -> Result
    ) throws -> Result {
        guard fields.hasViews, !isWithoutViews else { return try body() }
        isWithoutViews = true
        try connection.with(rights: .engine) { try views.withdraw(connection) }
        let result: Result
        do {
            result = try body()
        } catch {
            // With the next transaction they are there again; until then their names are of no use.
            isWithoutViews = false
            known = nil
            throw error
        }
        isWithoutViews = false
        known = nil
        if !connection.isInTransaction {
            try connection.with(rights: .engine) { try refresh(connection) }
        }
        return result
    }

    // MARK: Knowing

    func isCurrent(_ connection: borrowing Connection) throws -> Bool {
        // Learning takes a transaction of its own.
        guard !isLearning else { return true }
        let version = try connection.core.dataVersion()
        guard version != known?.dataVersion else { return true }
        let (schema, changes) = try look(connection)
        guard schema == known?.schemaVersion, changes == known?.changes else { return false }
        known?.dataVersion = version
        return true
    }

    func refresh(_ connection: borrowing Connection) throws {
        isLearning = true
        defer { isLearning = false }
        try connection.changingOwnSchema {
            try connection.read { connection in try load(connection) }
        }
    }

    /// Takes in what was just written in the transaction that is open, and may yet be undone.
    func adopt(
        _ registry: ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws {
        known = nil
        for column in registry.columns where !column.name.isEmpty {
            guard let shape = try SealedTable(column.table, connection) else { continue }
            try learn(column, shape, keys)
        }
    }

    private func load(_ connection: borrowing Connection) throws {
        let version = try connection.core.dataVersion()
        let (schema, changes) = try look(connection)
        try ForeignSchema.requireNone(connection)
        let trust = SealedTrust(
            fields: fields, proof: proof, database: try KeyringTable.database(connection))
        var shapes: [String: SealedTable] = [:]
        var proven: [ColumnRegistry] = []
        for keys in fields.keys {
            let registry = try RegistryTables.read(keys, connection)
            try trust.require(registry, keys)
            guard let registry else { continue }
            proven.append(registry)
            for column in registry.columns where !column.name.isEmpty {
                guard
                    let shape = try shapes[column.table] ?? SealedTable(column.table, connection),
                    shape.column(column.name) != nil
                else {
                    // One that was unsealed may be gone since.
                    if column.state == .plaintext { continue }
                    throw Self.missing(column)
                }
                try ForeignSchema.requireStored(column, shape)
                try Self.requireRowKey(column, shape)
                shapes[column.table] = shape
                try learn(column, shape, keys)
            }
        }
        try trust.requireRelied(proven)
        if fields.hasViews, !isWithoutViews {
            // If it fails, the transaction that is open takes back what was done to them.
            var adapted = views
            try adapted.adapt(to: groups(shapes), connection)
            views = adapted
        }
        known = Known(dataVersion: version, schemaVersion: schema, changes: changes)
    }

    /// The schema is the file's, and cells open by the primary key that they were sealed to.
    private static func requireRowKey(
        _ column: SealedColumn, _ shape: SealedTable
    ) throws(LockstepError) {
        guard let due = column.rowKey, column.state != .plaintext else { return }
        guard SealedRowKey(shape.key) == due else {
            throw LockstepError(
                .registryForged,
                "the cells of \(column.table).\(column.name) are sealed to another primary key than "
                    + "\(column.table) has now",
                hint: "somebody changed the schema without the fields keyring; undo that, "
                    + "or restore the database from a backup")
        }
    }

    private func learn(
        _ column: SealedColumn, _ shape: SealedTable, _ keys: FieldKeys
    ) throws(LockstepError) {
        let identity = SealedColumnAccess.Identity(dataset: keys.dataset, column: column.id)
        if let open = columns.first(where: { $0.identity == identity }) {
            try open.update(column, shape)
        } else {
            columns.append(try SealedColumnAccess(column, shape, keys, tools))
        }
    }

    private func look(
        _ connection: borrowing Connection
    ) throws -> (schema: Int64, changes: [UInt64]) {
        let schema = try connection.core.schemaVersion()
        guard try EngineTables.exists(EngineTables.datasets, connection) else {
            return (schema, fields.keys.map { _ in 0 })
        }
        let changes = try fields.keys.map { keys in
            try RegistryTables.changes(of: keys.dataset, connection)
        }
        return (schema, changes)
    }

    private func groups(_ shapes: [String: SealedTable]) -> [OpenViews.Group] {
        shapes.values.sorted { $0.name < $1.name }.compactMap { shape in
            // The file may write the name in other letters than the registry; without its view, a table of the view's
            // name would take plaintext.
            let table = shape.name.asciiLowercased
            let numbered = columns.enumerated().filter {
                $0.element.column.table.asciiLowercased == table
                    && $0.element.column.state != .plaintext
            }
            guard !numbered.isEmpty else { return nil }
            return OpenViews.Group(
                shape: shape,
                columns: numbered.map { (number: $0.offset, column: $0.element.column) },
                capability: capability)
        }
    }

    // MARK: Finding

    /// Whether SQL of this connection reads a table through a view.
    func hasView(of table: String) -> Bool {
        fields.hasViews
            && columns.contains {
                $0.column.state != .plaintext
                    && $0.column.table.asciiLowercased == table.asciiLowercased
            }
    }

    /// The keys of all datasets that were given.
    var allKeys: [FieldKeys] { fields.keys }

    /// The keys of the dataset that is called so.
    func keys(named name: String) -> FieldKeys? { fields.keys.first { $0.name == name } }

    /// The column that the first argument of a call names, with this connection's capability.
    /// - Throws: ``LockstepError/Code/denied`` for a call without it.
    func column(_ call: borrowing EngineCall) throws(LockstepError) -> SealedColumnAccess {
        let number = try capability.column(call)
        guard columns.indices.contains(number) else {
            throw LockstepError(.misuse, "this connection has no sealed column \(number)")
        }
        return columns[number]
    }

    /// All whose names the registry has, with their numbers.
    var named: [(number: Int, column: SealedColumnAccess)] {
        columns.enumerated().filter { !$0.element.column.name.isEmpty }.map { ($0, $1) }
    }

    /// The column that is called so by now, with its number; nil without its keys.
    func column(named name: String, of table: String) -> (number: Int, column: SealedColumnAccess)? {
        // The latest: a column that was unsealed may have given its name to another one.
        columns.lastIndex { $0.isNamed(name, of: table) }.map { ($0, columns[$0]) }
    }

    /// The number by which SQL of this connection names the column that is called so by now.
    func number(titled title: String) -> Int? {
        columns.lastIndex { $0.title.asciiLowercased == title.asciiLowercased }
    }

    private static func missing(_ column: SealedColumn) -> LockstepError {
        LockstepError(
            .registryForged,
            "\(column.table).\(column.name) is said to be sealed, and is not in the schema",
            hint: "it was renamed or dropped without the fields keyring; undo that, "
                + "or restore the database from a backup")
    }
}
