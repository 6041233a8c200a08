/// The sealed columns of one connection: what the database says of them, the ciphers of those that it has keys
/// for, and the views through which SQL reads and writes them.
final class SealedSession: ConnectionAttachment {
    private let fields: SealedFields
    private let tools = SealingTools()
    /// In the order in which they became known, which numbers them for SQL.
    private var columns: [OpenColumn] = []
    private var known: Known?
    private var isLearning = false
    private var isWithoutViews = false
    /// How often each dataset had been changed, by what others have committed: it never becomes less.
    private var seen: [UInt64] = []
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
        let functions: [(String, CellFunction.Work)] = [
            ("lockstep_open", { column, call throws(LockstepError) in try column.open(call) }),
            (
                "lockstep_open_whole",
                { column, call throws(LockstepError) in try column.open(call, anyLength: true) }
            ),
            ("lockstep_seal", { column, call throws(LockstepError) in try column.seal(call) }),
            ("lockstep_check", { column, call throws(LockstepError) in try column.check(call) }),
            ("lockstep_reseal", { column, call throws(LockstepError) in try column.reseal(call) }),
            (
                "lockstep_token",
                { column, call throws(LockstepError) in try column.giveToken(call) }
            ),
            ("lockstep_same", { column, call throws(LockstepError) in try column.giveSame(call) }),
        ]
        try connection.add("lockstep_begins", argumentCount: 2, BeginsFunction())
        try connection.add("lockstep_inserted", argumentCount: 1, ViewInsertion(connection.core))
        for (name, work) in functions {
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
        try connection.with(rights: .engine) { try views.adapt(to: [], connection) }
        let result: Result
        do {
            result = try body()
        } catch {
            // With the next transaction they are there again.
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
        for (number, before) in zip(changes, seen) where number < before {
            throw LockstepError(
                .registryForged,
                "what the database says of its sealed columns is older than it was",
                hint: "somebody put an older state back; restore the database from a backup")
        }
        var shapes: [String: SealedTable] = [:]
        for keys in fields.keys {
            guard let registry = try RegistryTables.read(keys, connection) else { continue }
            for column in registry.columns where !column.name.isEmpty {
                guard
                    let shape = try shapes[column.table] ?? SealedTable(column.table, connection),
                    shape.column(column.name) != nil
                else {
                    // One that was unsealed may be gone since.
                    if column.state == .plaintext { continue }
                    throw Self.missing(column)
                }
                shapes[column.table] = shape
                try learn(column, shape, keys)
            }
        }
        if fields.hasViews, !isWithoutViews { try views.adapt(to: groups(shapes), connection) }
        seen = changes
        known = Known(dataVersion: version, schemaVersion: schema, changes: changes)
    }

    private func learn(
        _ column: SealedColumn, _ shape: SealedTable, _ keys: FieldKeys
    ) throws(LockstepError) {
        let identity = OpenColumn.Identity(dataset: keys.dataset, column: column.id)
        if let open = columns.first(where: { $0.identity == identity }) {
            try open.update(column, shape)
        } else {
            columns.append(try OpenColumn(column, shape, keys, tools))
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
            try connection.value(
                "SELECT changes FROM main.lockstep_dataset WHERE dataset = ?", keys.dataset,
                as: Int64.self
            ).map { UInt64(clamping: $0) } ?? 0
        }
        return (schema, changes)
    }

    private func groups(_ shapes: [String: SealedTable]) -> [OpenViews.Group] {
        shapes.values.sorted { $0.name < $1.name }.compactMap { shape in
            let numbered = columns.enumerated().filter {
                $0.element.column.table == shape.name && $0.element.column.state != .plaintext
            }
            guard !numbered.isEmpty else { return nil }
            return OpenViews.Group(
                shape: shape,
                columns: numbered.map { (number: $0.offset, column: $0.element.column) })
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

    /// The column that the first argument of a call names: by its number on this connection, or as
    /// `table.column`.
    func column(_ call: borrowing EngineCall) throws(LockstepError) -> OpenColumn {
        switch call.kind(0) {
        case .integer:
            let number = call.integer(0)
            guard columns.indices.contains(Int(clamping: number)) else {
                throw LockstepError(.misuse, "this connection has no sealed column \(number)")
            }
            return columns[Int(number)]
        case .text:
            let title = String(decoding: try call.bytes(0), as: UTF8.self)
            // The latest: a column that was unsealed may have given its name to another one.
            guard let number = number(titled: title) else {
                throw LockstepError(
                    .keyUnavailable,
                    "\(title) is no column that the given fields keyrings can open",
                    hint: "name it as table.column, and give the keyring of its dataset")
            }
            return columns[number]
        default:
            throw LockstepError(
                .misuse, "lockstep_open and lockstep_seal take `table.column` first",
                hint: "for example lockstep_open('movie.title', title, id)")
        }
    }

    /// All whose names the registry has, with their numbers.
    var named: [(number: Int, column: OpenColumn)] {
        columns.enumerated().filter { !$0.element.column.name.isEmpty }.map { ($0, $1) }
    }

    /// The column that is called so by now, with its number; nil without its keys.
    func column(named name: String, of table: String) -> (number: Int, column: OpenColumn)? {
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

/// A function of SQL that does one thing with a cell: `name(column, value, key…)`.
private final class CellFunction: EngineFunction {
    typealias Work = (OpenColumn, borrowing EngineCall) throws(LockstepError) -> Void

    private weak let session: SealedSession?
    private let work: Work

    init(_ session: SealedSession, _ work: @escaping Work) {
        self.session = session
        self.work = work
    }

    func call(_ call: borrowing EngineCall) throws(LockstepError) {
        guard let column = try session?.column(call) else { return }
        try work(column, call)
    }
}

/// `lockstep_begins(text, beginning)`: whether a text begins so, whatever the case of either.
private final class BeginsFunction: EngineFunction {
    func call(_ call: borrowing EngineCall) throws(LockstepError) {
        guard call.kind(0) == .text, call.kind(1) == .text else { return }
        let text = FoldedText.scalars(String(decoding: try call.bytes(0), as: UTF8.self))
        let beginning = FoldedText.scalars(String(decoding: try call.bytes(1), as: UTF8.self))
        call.give(text.starts(with: beginning))
    }
}
