internal import Lockstep

/// The columns of a schema that hold plaintext on a server. In a file such a column is encrypted together with the
/// rest; a server's operator reads it. So each of them is named, and `lockstep_exposed` records it:
///
///   lockstep_exposed
///     table_name, name     a column that may hold plaintext; `*` for all columns of the table that are not sealed
///
/// A schema is held to this once something is sealed in it, or a column is named; the tables of a set that seals
/// nothing are plaintext as a whole. What becomes plaintext is named by the client's sets: anybody who can write to the
/// server can write to the table, which says only what is plaintext already.
struct Exposure: Sendable {
    let schema: String

    init(schema: String) { self.schema = schema }

    static let table = "lockstep_exposed"
    /// In place of a column's name.
    static let all = "*"

    /// A column, as `table.column`.
    struct Column: Sendable, Hashable, Comparable {
        @Exact private(set) var table: String
        @Exact private(set) var name: String

        init(table: String, name: String) { (self.table, self.name) = (table, name) }

        var title: String { "\(table).\(name)" }

        /// With names in lower case, as names are compared.
        var folded: Column { Column(table: table.asciiLowercased, name: name.asciiLowercased) }

        static func < (one: Column, other: Column) -> Bool {
            (ExactText(one.table), ExactText(one.name)) < (ExactText(other.table), ExactText(other.name))
        }
    }

    /// Who says which columns may hold plaintext.
    enum Source {
        /// The server's table, for lack of sets.
        case server
        /// The client's sets alone: these columns.
        case sets(Set<Column>)
        /// The client's sets; and the server's table for columns that stood before the open transaction and are none of
        /// these names, of which nothing becomes plaintext any more.
        case version(Set<Column>, made: Set<SQLName>)
    }

    /// The columns that the files of sets name.
    static func declared(in sets: [MigrationSet]) -> Set<Column> {
        var declared: Set<Column> = []
        for set in sets {
            var scripts = set.repeatables.map(\.up)
            for case .file(let file) in set.migrations { scripts.append(file.up) }
            for item in scripts.flatMap(\.items) {
                guard case .directive(.plaintext(let table, let column)) = item.content else { continue }
                declared.insert(Column(table: table, name: column ?? all).folded)
            }
        }
        return declared
    }

    private var quotedName: String { "\(SQLTokens.quote(schema)).\(Self.table)" }

    /// Names a column in the open transaction; without one, all columns of the table that are not sealed.
    func allow(
        _ table: String, _ column: String?, _ connection: borrowing ServerConnection
    ) throws {
        if try EngineTable.kind(Self.table, in: schema, connection) == nil {
            try connection.execute(
                """
                CREATE TABLE \(verbatim: quotedName) (
                    table_name text COLLATE "C", name text COLLATE "C", PRIMARY KEY (table_name, name))
                """)
        }
        try connection.execute(
            """
            INSERT INTO \(verbatim: quotedName) (table_name, name)
            VALUES (\(table.asciiLowercased), \((column ?? Self.all).asciiLowercased))
            ON CONFLICT DO NOTHING
            """)
    }

    /// Whether columns must be named: something is sealed, or some column is named already.
    func isHeld(_ connection: borrowing ServerConnection) throws -> Bool {
        let kinds = try EngineTable.kinds(in: schema, connection)
        return kinds[Self.table] != nil || kinds[StoredTable.datasets.name] != nil
    }

    /// The columns that hold plaintext, and that nobody has named.
    /// - Parameters:
    ///   - source: Who names them.
    ///   - arriving: Columns whose cells are about to be copied, together with their registry.
    func unnamed(
        _ connection: borrowing ServerConnection, by source: Source, arriving: [SealedColumn] = []
    ) throws -> [Column] {
        var (sealed, tokens) = try sealed(connection)
        Self.add(arriving, to: &sealed, &tokens)
        let recorded = if case .sets = source { Set<Column>() } else { try named(connection) }
        let found = try columns(connection).filter { column, isNew in
            let name = column.folded
            guard !sealed.contains(name), !tokens.contains(name) else { return false }
            switch source {
            case .server: return !Self.names(recorded, name)
            case .sets(let declared): return !Self.names(declared, name)
            case .version(let declared, let made):
                guard !Self.names(declared, name) else { return false }
                return isNew || made.contains(SQLName(column.name)) || !Self.names(recorded, name)
            }
        }
        return Set(found.map(\.column)).sorted()
    }

    private static func names(_ named: Set<Column>, _ column: Column) -> Bool {
        named.contains(column) || named.contains(Column(table: column.table, name: all))
    }

    /// The columns of a file's tables that a copy brings as plaintext, and that nobody has named.
    static func unnamed(_ tables: [CopyTable], _ sealed: [SealedColumn], by declared: Set<Column>) -> [Column] {
        var (cells, tokens): (Set<Column>, Set<Column>) = ([], [])
        add(sealed, to: &cells, &tokens)
        return tables.flatMap { table in
            table.columns.map { Column(table: table.name, name: $0.fileName) }
        }.filter { column in
            let name = column.folded
            return !cells.contains(name) && !tokens.contains(name) && !names(declared, name)
        }.sorted()
    }

    /// Requires that each column that holds plaintext is named.
    /// - Throws: `LockstepError.Code.exposed`, with all of them.
    func require(
        _ connection: borrowing ServerConnection, by source: Source, arriving: [SealedColumn] = []
    ) throws {
        let found = try unnamed(connection, by: source, arriving: arriving)
        if let error = Self.error(found) { throw error }
    }

    /// The error for these columns; nil for none.
    static func error(_ found: [Column]) -> LockstepError? {
        guard let first = found.first else { return nil }
        let lines = found.map {
            "-- lockstep: \(Directive.plaintext(table: $0.table, column: $0.name).spelling)"
        }
        return LockstepError(
            .exposed,
            "\(counted(found.count, "column")) would hold plaintext that the server's operator reads: "
                + found.map(\.title).joined(separator: ", "),
            hint: "seal them, or say that they may, each with a line in the migration: "
                + lines.joined(separator: "; "), context: .init(table: first.table, column: first.name))
    }

    /// The columns of all tables, and whether the open transaction has made them. Those of a partition are the columns
    /// of the table that it is a part of.
    private func columns(_ connection: borrowing ServerConnection) throws -> [(column: Column, isNew: Bool)] {
        try connection.query(
            """
            SELECT coalesce(r.relname, c.relname)::text, a.attname::text,
                coalesce(pg_catalog.age(a.xmin) OPERATOR(pg_catalog.<=)
                    pg_catalog.age(pg_catalog.pg_current_xact_id_if_assigned()::xid), false)
            FROM pg_catalog.pg_attribute AS a
            JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) a.attrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            LEFT JOIN pg_catalog.pg_class AS r ON c.relispartition
                AND r.oid OPERATOR(pg_catalog.=) pg_catalog.pg_partition_root(c.oid)
                AND r.relnamespace OPERATOR(pg_catalog.=) c.relnamespace
            WHERE n.nspname OPERATOR(pg_catalog.=) \(schema)::name
                AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,m}'::"char"[])
                AND NOT pg_catalog.starts_with(c.relname::text, \(EngineTable.prefix))
                AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
            """
        ) { (Column(table: try $0[0], name: try $0[1]), try $0[2]) }
    }

    private func named(_ connection: borrowing ServerConnection) throws -> Set<Column> {
        guard try EngineTable.kind(Self.table, in: schema, connection) == .table else {
            return []
        }
        return Set(
            try connection.query(
                "SELECT table_name, name FROM \(verbatim: quotedName)"
            ) { Column(table: try $0[0], name: try $0[1]) })
    }

    /// What is sealed, and what holds tokens: proven where the connection has the keys, otherwise as the registry
    /// claims.
    private func sealed(
        _ connection: borrowing ServerConnection
    ) throws -> (cells: Set<Column>, tokens: Set<Column>) {
        var (cells, tokens): (Set<Column>, Set<Column>) = ([], [])
        Self.add(try ServerRegistry(schema: schema).claimed(connection).map(\.column), to: &cells, &tokens)
        return (cells, tokens)
    }

    private static func add(_ columns: [SealedColumn], to cells: inout Set<Column>, _ tokens: inout Set<Column>) {
        for column in columns where !column.name.isEmpty {
            cells.insert(Column(table: column.table, name: column.name).folded)
            for index in column.indexes {
                tokens.insert(Column(table: column.table, name: index.name).folded)
            }
        }
    }
}
