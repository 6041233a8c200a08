/// The sealed columns of one connection: their registry, the ciphers of the columns whose keys it has, and the views
/// through which SQL reads and writes them.
final class SealedAttachment: ConnectionAttachment {
    private let fields: SealedFields
    private let tools = SealingTools()
    /// The capability that calls in this connection's own SQL pass.
    let capability: CellCapability
    /// The columns in the order of their discovery, which gives each its number in SQL.
    private var columns: [SealedColumnAccess] = []
    private var known: Known?
    private var isLearning = false
    private var isWithoutViews = false
    /// The facts that the file has proven so far.
    let proof: SealedProof
    private var views = DecryptingViews()
    private let unopened: UnopenedCells

    /// The state of the database at the last check.
    private struct Known: Equatable {
        var dataVersion: Int64
        let schemaVersion: Int64
        /// The number of changes to each dataset's registry; 0 for a dataset that the database does not have.
        let changes: [UInt64]
    }

    init(_ fields: SealedFields, _ connection: borrowing Connection) throws {
        self.fields = fields
        capability = try CellCapability()
        unopened = try UnopenedCells(connection.core, capability)
        proof = fields.proof ?? SealedProof()
        try connection.add("lockstep_begins", argumentCount: 2, CellFunction.begins)
        try connection.add(
            "lockstep_written", argumentCount: 3,
            CellFunction.written(connection.core, capability))
        for (name, work) in CellFunction.all {
            try connection.add(name, argumentCount: nil, CellFunction.body(self, work))
        }
        try refresh(connection)
    }

    // MARK: Views

    /// Runs `body` without the views, which would prevent changes to the schema.
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
            // The next transaction creates them again; until then, statements on them fail.
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

    // MARK: State

    func isCurrent(_ connection: borrowing Connection) throws -> Bool {
        // Refreshing takes a transaction of its own.
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

    /// Adopts a registry that was just written in the open transaction, which can still be rolled back.
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
        try UntrustedSchema.requireSafe(connection)
        let content = try KeyringTable.read(connection)
        let trust = SealedTrust(fields: fields, proof: proof)
        if !proof.isOpened {
            for keys in fields.keys {
                try PendingRestore.explaining(content, keys, connection) {
                    try KeyringFreshness.require(keys, content, titled: SealedTrust.title(keys))
                }
            }
        }
        var shapes: [SQLName: SealedTable] = [:]
        var proven: [ColumnRegistry] = []
        for keys in fields.keys {
            let registry = try RegistryTables.read(keys, connection)
            let known = keys.memory.record(of: content.database)
            let inherited = connection.inherited(content.database, by: keys)
            try PendingRestore.explaining(content, keys, connection) {
                try trust.require(registry, keys, known, inherited: inherited, of: content.database)
            }
            try EpochCode.require(content, keys, registry)
            guard let registry else { continue }
            proven.append(registry)
            for column in registry.columns where !column.name.isEmpty {
                guard
                    let shape = try shapes[SQLName(column.table)]
                        ?? SealedTable(column.table, connection),
                    shape.column(column.name) != nil
                else {
                    // An unsealed column might have been dropped since.
                    if column.state == .plaintext { continue }
                    throw Self.missing(column)
                }
                try UntrustedSchema.requireStored(column, shape)
                try Self.requireRowKey(column, shape)
                shapes[SQLName(column.table)] = shape
                try learn(column, shape, keys)
            }
        }
        try trust.requireRelied(proven)
        proof.isOpened = true
        if fields.hasViews, !isWithoutViews {
            // If this fails, the open transaction rolls back the changes to the views.
            var adapted = views
            try adapted.adapt(to: groups(shapes), connection)
            views = adapted
        }
        known = Known(dataVersion: version, schemaVersion: schema, changes: changes)
    }

    /// Anyone can change the file's schema, but cells open only with the primary key that they were sealed to.
    private static func requireRowKey(
        _ column: SealedColumn, _ shape: SealedTable
    ) throws(LockstepError) {
        guard !column.isSealed(toAnotherKeyThan: shape.key) else {
            throw LockstepError(
                .registryForged,
                "the cells of \(column.table).\(column.name) are sealed to a different primary key from the "
                    + "one that \(column.table) has now",
                hint: "somebody changed the schema without the fields keyring; undo that, "
                    + "or restore the database from a backup", context: column.context)
        }
    }

    private func learn(
        _ column: SealedColumn, _ shape: SealedTable, _ keys: FieldKeys
    ) throws(LockstepError) {
        let identity = SealedColumnAccess.Identity(dataset: keys.dataset, column: column.id)
        if let open = columns.first(where: { $0.identity == identity }) {
            try open.update(column, shape)
        } else {
            columns.append(try SealedColumnAccess(column, shape, keys, tools, unopened))
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

    private func groups(_ shapes: [SQLName: SealedTable]) -> [DecryptingViews.Group] {
        shapes.values.sorted { ExactText($0.name) < ExactText($1.name) }.compactMap { shape in
            // The file can spell the name in another case than the registry. Without the view, a table of the view's
            // name would receive plaintext.
            let numbered = columns.enumerated().filter {
                SQLName($0.element.column.table) == SQLName(shape.name) && $0.element.column.state != .plaintext
            }
            guard !numbered.isEmpty else { return nil }
            return DecryptingViews.Group(
                shape: shape, columns: numbered.map { (number: $0.offset, column: $0.element.column) },
                capability: capability)
        }
    }

    // MARK: Lookup

    /// Whether this connection's SQL reads a table through a view.
    func hasView(of table: String) -> Bool {
        fields.hasViews
            && columns.contains {
                $0.column.state != .plaintext
                    && SQLName($0.column.table) == SQLName(table)
            }
    }

    /// The keys of all given datasets.
    var allKeys: [FieldKeys] { fields.keys }

    // exact: names of datasets
    /// The keys of the dataset with this name.
    func keys(named name: String) -> FieldKeys? { fields.keys.first { $0.name == name } }

    /// The column that the first argument of a call names, after a check of this connection's capability.
    /// - Throws: ``LockstepError/Code/denied`` for a call without the capability.
    func column(_ call: borrowing FunctionCall) throws(LockstepError) -> SealedColumnAccess {
        let number = try capability.column(call)
        guard columns.indices.contains(number) else {
            throw LockstepError(.misuse, "this connection has no sealed column \(number)")
        }
        return columns[number]
    }

    /// All columns that have a name in the registry, with their numbers.
    var named: [(number: Int, column: SealedColumnAccess)] {
        columns.enumerated().filter { !$0.element.column.name.isEmpty }.map { ($0, $1) }
    }

    /// The column that currently has this name, with its number; nil without its keys.
    func column(named name: String, of table: String) -> (number: Int, column: SealedColumnAccess)? {
        // The latest one: an unsealed column might have given its name to another.
        columns.lastIndex { $0.isNamed(name, of: table) }.map { ($0, columns[$0]) }
    }

    /// The number, in this connection's SQL, of the column that currently has this name.
    func number(titled title: String) -> Int? {
        columns.lastIndex { SQLName($0.title) == SQLName(title) }
    }

    private static func missing(_ column: SealedColumn) -> LockstepError {
        LockstepError(
            .registryForged,
            "the registry names the sealed column \(column.table).\(column.name), which is not in the schema",
            hint: "somebody renamed or dropped it without the fields keyring; undo that, "
                + "or restore the database from a backup", context: column.context)
    }
}
