internal import Lockstep

/// The registries of sealed columns on a server: the tables that RegistryTables.swift describes, in one schema, with
/// the same rows. Only the third format is kept there: it names no file.
///
/// Anyone who can write them, as the server's operator can, can write anything: the MACs decide.
struct ServerRegistry {
    let schema: String

    static let datasets = "lockstep_dataset"
    static let columns = "lockstep_column"
    static let indexes = "lockstep_index"
    static let fieldKeys = "lockstep_field_key"

    /// No registry has more rows.
    private static let limit = 65_536

    private func name(_ table: String) -> String {
        "\(SQLTokens.quote(schema)).\(SQLTokens.quote(table))"
    }

    /// A state of a dataset's registry, which nothing proves.
    struct Mark: Sendable, Equatable {
        let dataset: [UInt8]
        let changes: Int64
        let mac: [UInt8]
    }

    /// The states that the server has now; empty without a registry.
    /// - Parameter known: What the connection has seen, which saves the query that finds out whether they are tables.
    func marks(
        _ connection: borrowing ServerConnection, after known: [Mark]? = nil
    ) throws -> [Mark] {
        guard try known?.isEmpty == false || exists(Self.datasets, connection) else {
            return []
        }
        return try namingForgery {
            try connection.query(
                """
                SELECT dataset, changes, mac FROM \(verbatim: name(Self.datasets))
                ORDER BY dataset LIMIT \(Self.limit)::int8
                """
            ) { Mark(dataset: try $0[0], changes: try $0[1], mac: try $0[2]) }
        }
    }

    /// Reads the states for ``marks(in:)``, in any order.
    var lookText: String {
        "SELECT dataset, changes, mac FROM \(name(Self.datasets)) LIMIT \(Self.limit)"
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
        guard try exists(Self.datasets, connection) else { return nil }
        for table in [Self.columns, Self.indexes, Self.fieldKeys] {
            guard try exists(table, connection) else {
                throw RegistryRecords.forged("lacks the table \(table)")
            }
        }
        return try namingForgery {
            let set = try connection.query(
                """
                SELECT changes, key_version, mac, registry FROM \(verbatim: name(Self.datasets))
                WHERE dataset OPERATOR(pg_catalog.=) \(dataset)
                """
            ) {
                RegistryRecords.DatasetRow(
                    changes: try $0[0], keyVersion: try $0[1], mac: try $0[2], database: nil,
                    registry: try $0[3] as [UInt8])
            }
            guard let set = set.first else { return nil }
            return RegistryRecords(
                id: dataset, dataset: set, columns: try columns(dataset, connection),
                indexes: try indexes(dataset, connection), fieldKeys: try fieldKeys(dataset, connection))
        }
    }

    private func columns(
        _ dataset: [UInt8], _ connection: borrowing ServerConnection
    ) throws -> [RegistryRecords.ColumnRow] {
        try bounded(
            connection.query(
                """
                SELECT id, table_name, name, mode, padding, state, cursor, mac, row_key, identity
                FROM \(verbatim: name(Self.columns)) WHERE dataset OPERATOR(pg_catalog.=) \(dataset)
                ORDER BY id LIMIT \(Self.limit)::int8
                """
            ) {
                RegistryRecords.ColumnRow(
                    id: try $0[0], table: try $0[1], name: try $0[2], mode: try $0[3], padding: try $0[4],
                    state: try $0[5], cursor: try $0[6], mac: try $0[7], rowKey: try $0[8], identity: try $0[9])
            })
    }

    private func indexes(
        _ dataset: [UInt8], _ connection: borrowing ServerConnection
    ) throws -> [RegistryRecords.IndexRow] {
        try bounded(
            connection.query(
                """
                SELECT column_id, number, name, normaliser, bits, key_version, commitment, mac
                FROM \(verbatim: name(Self.indexes)) WHERE dataset OPERATOR(pg_catalog.=) \(dataset)
                ORDER BY column_id, number LIMIT \(Self.limit)::int8
                """
            ) {
                RegistryRecords.IndexRow(
                    column: try $0[0], number: try $0[1], name: try $0[2],
                    normaliser: try $0[3], bits: try $0[4], keyVersion: try $0[5],
                    commitment: try $0[6], mac: try $0[7])
            })
    }

    private func fieldKeys(
        _ dataset: [UInt8], _ connection: borrowing ServerConnection
    ) throws -> [RegistryRecords.FieldKeyRow] {
        try bounded(
            connection.query(
                """
                SELECT version, commitment FROM \(verbatim: name(Self.fieldKeys))
                WHERE dataset OPERATOR(pg_catalog.=) \(dataset) ORDER BY version LIMIT \(Self.limit)::int8
                """
            ) { RegistryRecords.FieldKeyRow(version: try $0[0], commitment: try $0[1]) })
    }

    private func bounded<Row>(_ rows: [Row]) throws(LockstepError) -> [Row] {
        guard rows.count < Self.limit else {
            throw RegistryRecords.forged("has more rows than any registry")
        }
        return rows
    }

    private func namingForgery<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError
            where error.code == .decodeMismatch || ["42703", "42883", "42P01"].contains(error.context.sqlState)
        {
            throw RegistryRecords.forged("has impossible values")
        }
    }

    /// - Throws: `LockstepError.Code.registryForged` for something that is no table: a view would run its maker's code.
    private func exists(
        _ table: String, _ connection: borrowing ServerConnection
    ) throws -> Bool {
        guard let kind = try EngineTable.kind(table, in: schema, connection) else {
            return false
        }
        guard kind == .table else { throw RegistryRecords.forged("is no table") }
        return true
    }

    // MARK: Writing

    /// Writes the dataset's new registry in the open transaction.
    func write(_ registry: inout ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing ServerConnection) throws {
        let records = try RegistryRecords(changing: &registry, keys) { table in
            try ServerTable(table, in: schema, connection).flatMap {
                SealedRowKey($0.shape.key)
            }
        }
        try write(records, connection)
    }

    /// Writes the rows of a registry, in place of those of its dataset, in the open transaction.
    func write(_ records: RegistryRecords, _ connection: borrowing ServerConnection) throws {
        try prepare(connection)
        for table in [Self.datasets, Self.columns, Self.indexes, Self.fieldKeys] {
            try connection.execute(
                "DELETE FROM \(verbatim: name(table)) WHERE dataset OPERATOR(pg_catalog.=) \(records.id)")
        }
        let set = records.dataset
        try connection.execute(
            """
            INSERT INTO \(verbatim: name(Self.datasets)) (dataset, changes, key_version, mac, registry)
            VALUES (\(records.id), \(set.changes), \(set.keyVersion), \(set.mac), \(set.registry))
            """)
        for one in records.columns {
            try connection.execute(
                """
                INSERT INTO \(verbatim: name(Self.columns))
                    (dataset, id, table_name, name, mode, padding, state, cursor, mac, row_key, identity)
                VALUES (\(records.id), \(one.id), \(one.table), \(one.name), \(one.mode), \(one.padding),
                    \(one.state), \(one.cursor), \(one.mac), \(one.rowKey), \(one.identity))
                """)
        }
        for one in records.indexes {
            try connection.execute(
                """
                INSERT INTO \(verbatim: name(Self.indexes))
                    (dataset, column_id, number, name, normaliser, bits, key_version, commitment, mac)
                VALUES (\(records.id), \(one.column), \(one.number), \(one.name), \(one.normaliser),
                    \(one.bits), \(one.keyVersion), \(one.commitment), \(one.mac))
                """)
        }
        for one in records.fieldKeys {
            try connection.execute(
                """
                INSERT INTO \(verbatim: name(Self.fieldKeys)) (dataset, version, commitment)
                VALUES (\(records.id), \(one.version), \(one.commitment))
                """)
        }
    }

    private func prepare(_ connection: borrowing ServerConnection) throws {
        let definitions = [
            (
                Self.datasets,
                "dataset bytea PRIMARY KEY, changes bigint NOT NULL, key_version bigint NOT NULL, "
                    + "mac bytea NOT NULL, registry bytea NOT NULL"
            ),
            (
                Self.columns,
                "dataset bytea, id bigint, table_name text COLLATE \"C\" NOT NULL, name text COLLATE \"C\" NOT NULL, "
                    + "mode text NOT NULL, padding bigint NOT NULL, state text NOT NULL, cursor bigint, "
                    + "mac bytea NOT NULL, row_key text, identity bytea, PRIMARY KEY (dataset, id)"
            ),
            (
                Self.indexes,
                "dataset bytea, column_id bigint, number bigint, name text COLLATE \"C\" NOT NULL, "
                    + "normaliser text NOT NULL, bits bigint NOT NULL, key_version bigint NOT NULL, "
                    + "commitment bytea NOT NULL, mac bytea NOT NULL, PRIMARY KEY (dataset, column_id, number)"
            ),
            (
                Self.fieldKeys,
                "dataset bytea, version bigint, commitment bytea NOT NULL, PRIMARY KEY (dataset, version)"
            ),
        ]
        for (table, definition) in definitions where try !exists(table, connection) {
            try connection.execute("CREATE TABLE \(verbatim: name(table)) (\(verbatim: definition))")
        }
    }
}
