internal import Lockstep

/// The sealed columns that a connection to a server reads and writes.
///
/// The registries of the datasets are read and proven when the connection opens, and again when the server has other
/// ones: each statement that seals or opens looks first, unless its transaction has looked already.
final class ServerFields {
    private let keys: [FieldKeys]
    private let trust: SealedTrust
    private let tools = SealingTools()
    private let registry: ServerRegistry
    private var marks: [ServerRegistry.Mark]? {
        didSet { (lookResult, reading) = (nil, reading + 1) }
    }
    /// Counts what may have changed which columns are sealed, and how.
    private(set) var reading = 1
    /// An answer of the look that said what ``marks`` say.
    private var lookResult: ServerResult?
    /// What is sealed, by the numbers of its table and column.
    private(set) var columns: [ResultOrigin: ServerColumn] = [:]
    /// The tables with sealed columns, by their numbers.
    private(set) var tables: [UInt32: ServerTable] = [:]
    /// The identity of the data; nil if it has none.
    private(set) var database: [UInt8]?
    private var proven: [ColumnRegistry] = []
    /// Numbers that sequences have given for rows to come, by table.
    var reserved: [UInt32: ArraySlice<Int64>] = [:]
    /// Prepared statements by their texts.
    private var statements: [ExactText: ServerStatement] = [:]
    private var mentions: [ExactText: SealedMentions] = [:]
    private var mentionsReading = 0
    /// Whether the open transaction has looked.
    var hasLooked = false
    /// Whether the registries are being read, whose rows are plain.
    private(set) var isLooking = false

    /// - Throws: The errors of ``refresh(_:)``.
    init(_ options: ServerOptions, _ connection: borrowing ServerConnection) throws {
        keys = options.fieldKeys
        let fields = SealedFields(
            options.fieldKeys, relied: options.sealed, mayBeUnsealed: options.mayBeUnsealed,
            firstTime: options.mayBeUnsealed && options.mayBeUnknown, mayBeUnknown: options.mayBeUnknown)
        trust = SealedTrust(fields: fields, proof: SealedProof())
        let schema: String? = try connection.value("SELECT pg_catalog.current_schema()::text")
        guard let schema else {
            throw LockstepError(
                .notFound, "\(connection.address): the schema with the sealed columns does not exist",
                hint: "create it with CREATE SCHEMA, or name another one")
        }
        registry = ServerRegistry(schema: schema)
        try load(connection)
    }

    var schema: String { registry.schema }

    // exact: names of datasets
    func keys(named dataset: String) -> FieldKeys? { keys.first { $0.name == dataset } }

    func keys(of dataset: [UInt8]) -> FieldKeys? { keys.first { $0.dataset == dataset } }

    /// The proven registry of a dataset; nil if nothing of it is sealed.
    func registry(of keys: FieldKeys) -> ColumnRegistry? {
        proven.first { $0.dataset == keys.dataset }
    }

    /// What the keys prove.
    var proofs: [RegistryCheck.Proof] {
        keys.map { ($0, registry(of: $0), $0.memory.record(of: database)) }
    }

    /// Reads and proves the registries, if they are not those that are known.
    /// - Throws: `LockstepError.Code.registryMissing`, `LockstepError.Code.registryOlder`,
    ///   `LockstepError.Code.registryForged`, `LockstepError.Code.keyringMismatch`,
    ///   `LockstepError.Code.keyUnavailable`; the server's errors.
    func look(_ connection: borrowing ServerConnection) throws {
        guard !isLooking, !(connection.isInTransaction && hasLooked) else { return }
        isLooking = true
        defer { isLooking = false }
        let marks = try registry.marks(connection, after: self.marks)
        if marks != self.marks { try load(connection) }
        hasLooked = connection.isInTransaction
    }

    /// The prepared statement that looks, whose answer ``take(_:_:)`` gets; nil if there is nothing to look at, because
    /// the open transaction has looked, or nothing is known to be sealed: then this looks by itself.
    func lookStatement(
        _ connection: borrowing ServerConnection
    ) throws -> String? {
        guard !(connection.isInTransaction && hasLooked) else { return nil }
        guard marks?.isEmpty == false else {
            try look(connection)
            return nil
        }
        return try prepared(registry.lookText, connection).name
    }

    /// Takes an answer of the look.
    /// - Returns: Whether the registries are those that were known. Others are read and proven, and what went together
    ///   with the look must run again.
    /// - Throws: as ``look(_:)``.
    func take(
        _ answer: Result<ServerResult, LockstepError>,
        _ connection: borrowing ServerConnection
    ) throws -> Bool {
        guard case .success(let result) = answer else {
            // In a transaction nothing more runs.
            if connection.isInTransaction { _ = try answer.get() }
            try look(connection)
            return false
        }
        hasLooked = connection.isInTransaction
        if let lookResult, result.hasSameValues(as: lookResult) { return true }
        if let found = registry.marks(in: result), found == marks {
            lookResult = result
            return true
        }
        hasLooked = false
        try look(connection)
        return false
    }

    /// Reads and proves the registries, whatever is known.
    /// - Throws: as ``look(_:)``.
    func refresh(_ connection: borrowing ServerConnection) throws {
        isLooking = true
        defer { isLooking = false }
        try load(connection)
    }

    /// Takes what this connection has just written in the open transaction, which can still be rolled back.
    func adopt(_ connection: borrowing ServerConnection) throws {
        isLooking = true
        defer { isLooking = false }
        try load(connection, isOwn: true)
        (marks, hasLooked) = (nil, true)
    }

    /// - Parameter isOwn: Whether the registries are this connection's own and not committed: nothing is learnt from
    ///   them.
    private func load(_ connection: borrowing ServerConnection, isOwn: Bool = false) throws {
        marks = nil
        let now = try registry.marks(connection)
        let database = try ServerIdentity(schema: schema).read(connection)
        var columns: [ResultOrigin: ServerColumn] = [:]
        var tables: [SQLName: ServerTable] = [:]
        var proven: [ColumnRegistry] = []
        for keys in keys {
            let found = try registry.records(of: keys.dataset, connection)?.registry(keys)
            if !isOwn { try trust.require(found, keys, keys.memory.record(of: database), of: database) }
            guard let found else { continue }
            proven.append(found)
            for column in found.columns where !column.name.isEmpty && column.state != .plaintext {
                let table = try tables[SQLName(column.table)] ?? ServerTable(column.table, in: schema, connection)
                guard let table, let detail = table.detail(column.name) else {
                    throw Self.missing(column)
                }
                tables[SQLName(column.table)] = table
                try Self.requireFit(column, table, detail)
                columns[ResultOrigin(table: table.oid, column: detail.number)] =
                    try ServerColumn(column, table, keys, tools)
            }
        }
        if !isOwn { try trust.requireRelied(proven) }
        (self.columns, self.proven, self.database) = (columns, proven, database)
        self.tables = Dictionary(tables.values.map { ($0.oid, $0) }) { first, _ in first }
        reserved = [:]
        marks = now
    }

    private static func requireFit(
        _ column: SealedColumn, _ table: ServerTable, _ detail: ServerTable.Detail
    ) throws(LockstepError) {
        guard detail.type == ServerType.bytea else {
            throw RegistryRecords.forged("names the column \(column.title), which is not of the type bytea").adding(
                column.context)
        }
        guard column.state == .sealed else {
            throw LockstepError(
                .misuse, "\(column.title) is \(column.state.rawValue), which a server's columns never are",
                hint:
                    "finish the change in the file that it was copied from, then copy it again",
                context: column.context)
        }
        guard !column.isSealed(toAnotherKeyThan: table.shape.key) else {
            throw RegistryRecords.forged(
                "seals \(column.title) to a different primary key from the one that its table has"
            ).adding(column.context)
        }
    }

    private static func missing(_ column: SealedColumn) -> LockstepError {
        LockstepError(
            .registryForged, "the registry names the sealed column \(column.title), which is not in the schema",
            hint: "somebody renamed or dropped it without the fields keyring; undo that, "
                + "or restore the database from a backup", context: column.context)
    }

    // MARK: Lookup

    /// The table of this name with sealed columns; nil for any other.
    func table(_ name: String) -> ServerTable? {
        tables.values.first { SQLName($0.shape.name) == SQLName(name) }
    }

    /// The sealed columns of a table.
    func columns(of table: ServerTable) -> [ServerColumn] {
        columns.values.filter { $0.table.oid == table.oid }
            .sorted { $0.column.id < $1.column.id }
    }

    /// - Throws: `LockstepError.Code.misuse` for a column that is not sealed.
    func column(_ title: String) throws(LockstepError) -> ServerColumn {
        guard
            let found = columns.values.first(where: {
                SQLName($0.column.title) == SQLName(title)
            })
        else {
            throw LockstepError(
                .misuse, "\(title) is not sealed on this server, or the keys of its dataset were not given",
                hint: "write the name as TABLE.COLUMN; compare any other column with `=`")
        }
        return found
    }

    /// What a statement says of sealed columns. Texts come again and again.
    func mentions(in text: String) -> SealedMentions {
        if mentionsReading != reading || mentions.count > 256 { (mentions, mentionsReading) = ([:], reading) }
        if let known = mentions[ExactText(text)] { return known }
        let found = SealedMentions(text, columns.values)
        mentions[ExactText(text)] = found
        return found
    }

    /// A statement that is prepared once.
    func prepared(
        _ text: String, _ connection: borrowing ServerConnection
    ) throws(LockstepError) -> ServerStatement {
        if let known = statements[ExactText(text)] { return known }
        let statement = try connection.prepare(ServerSQL(verbatim: text))
        statements[ExactText(text)] = statement
        return statement
    }
}
