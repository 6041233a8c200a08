internal import Lockstep

/// Notices columns that a version drops together with their values.
struct ServerColumnLosses {
    private struct Column {
        let table: UInt32
        let number: Int
        let schema: String
        let tableName: String
        /// The table that the table is a part of; the table itself if it is none. A program makes parts at run time, and
        /// ALTER TABLE drops the column of the whole in all of them.
        let root: String
        let name: String
        /// Whether a policy can hide rows from this role.
        let mayHide: Bool

        var title: String { "\(root).\(name)" }
    }

    private let script: ServerScript
    /// The columns of all tables that have pages.
    private let columns: [Column]
    /// The places in ``columns`` of those without a value.
    private let empty: Set<Int>

    /// Nil for a script that says nothing of dropping, not even in the text of a function.
    init?(_ script: ServerScript, _ connection: borrowing ServerConnection) throws {
        guard script.statements.contains(where: { $0.sql.asciiLowercased.contains("drop") }) else { return nil }
        self.script = script
        let columns = try connection.query(
            """
            SELECT c.oid::int8, a.attnum, n.nspname::text, c.relname::text, coalesce(r.relname, c.relname)::text,
                a.attname::text, pg_catalog.row_security_active(c.oid)
            FROM pg_catalog.pg_attribute AS a
            JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) a.attrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            LEFT JOIN pg_catalog.pg_class AS r ON c.relispartition
                AND r.oid OPERATOR(pg_catalog.=) pg_catalog.pg_partition_root(c.oid)
            WHERE c.relkind OPERATOR(pg_catalog.=) 'r' AND c.relpersistence OPERATOR(pg_catalog.<>) 't'
                AND n.nspname OPERATOR(pg_catalog.<>) ALL (ARRAY['pg_catalog', 'information_schema', 'pg_toast']::name[])
                AND NOT pg_catalog.starts_with(c.relname::text, \(EngineTable.prefix))
                AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
                AND a.attgenerated OPERATOR(pg_catalog.=) '' AND pg_catalog.pg_relation_size(c.oid) OPERATOR(pg_catalog.>) 0
            """
        ) { row in
            Column(
                table: try row[0], number: (try row[1] as ServerCount).value, schema: try row[2], tableName: try row[3],
                root: try row[4], name: try row[5], mayHide: try row[6])
        }
        self.columns = columns
        let names = script.statements.reduce(into: Set<SQLName>()) { $0.formUnion(SQLTokens.names(in: $1.sql)) }
        let named = columns.indices.filter { place in
            let column = columns[place]
            return !column.mayHide && names.contains(SQLName(column.name))
                && [column.tableName, column.root].contains { names.contains(SQLName($0)) }
        }
        let questions = named.map { place in
            let column = columns[place]
            let table = "\(SQLTokens.quote(column.schema)).\(SQLTokens.quote(column.tableName))"
            return
                "SELECT \(place)::int8 WHERE NOT EXISTS (SELECT FROM ONLY \(table) WHERE \(SQLTokens.quote(column.name)) IS NOT NULL)"
        }
        empty =
            questions.isEmpty
            ? []
            : Set(
                try connection.query(ServerSQL(verbatim: questions.joined(separator: " UNION ALL "))) {
                    (try $0[0] as ServerCount).value
                })
    }

    /// - Returns: The losses that are declared.
    /// - Throws: `LockstepError.Code.valuesLost` for one that is not.
    func requireKept(_ connection: borrowing ServerConnection) throws -> [LockstepError] {
        let now = try connection.query(
            """
            SELECT a.attrelid::int8, a.attnum, a.attname::text, a.attisdropped, a.attrelid::regclass::text
            FROM pg_catalog.pg_attribute AS a
            WHERE a.attnum OPERATOR(pg_catalog.>) 0 AND a.attrelid OPERATOR(pg_catalog.>=) 16384::oid
            """
        ) { row in
            (
                origin: ResultOrigin(table: try row[0], column: (try row[1] as ServerCount).value),
                name: ExactText(try row[2] as String), isDropped: try row[3] as Bool, table: try row[4] as String
            )
        }
        let dropped = Set(now.filter(\.isDropped).map(\.origin))
        // One that the version has made again under the name has the values that its statements give it, if they give any.
        let made = Dictionary(
            now.filter { !$0.isDropped }.map { ([ExactText("\($0.origin.table)"), $0.name], $0.table) },
            uniquingKeysWith: { first, _ in first })
        var tolerated: [LockstepError] = []
        for (place, column) in columns.enumerated()
        where !empty.contains(place) && dropped.contains(ResultOrigin(table: column.table, column: column.number)) {
            if !column.mayHide, let table = made[[ExactText("\(column.table)"), ExactText(column.name)]],
                try Self.isGiven(column.name, in: table, connection)
            {
                continue
            }
            let context = LockstepError.Context(table: column.root, column: column.name)
            let isAllowed = [column.tableName, column.root].contains { table in
                script.allowsLoss(of: column.name, in: table)
                    || script.allowedLosses.contains { SQLName($0) == SQLName(table) }
            }
            guard !isAllowed else {
                tolerated.append(
                    LockstepError(
                        .valuesLost, "values are lost, as declared: the column \(column.title) is dropped",
                        context: context))
                continue
            }
            throw LockstepError(
                .valuesLost, "values would be lost: the column \(column.title) is dropped, and it has values",
                hint: "if that is intended, declare `-- lockstep: allow loss of column \(column.title)`",
                context: context)
        }
        return tolerated
    }

    /// Whether a column has a value, or its table no rows that could.
    /// - Parameter table: The table, as SQL writes it.
    private static func isGiven(
        _ name: String, in table: String, _ connection: borrowing ServerConnection
    ) throws -> Bool {
        let column = SQLTokens.quote(name)
        return try connection.value(
            ServerSQL(
                verbatim: """
                    SELECT NOT EXISTS (SELECT FROM ONLY \(table))
                        OR EXISTS (SELECT FROM ONLY \(table) WHERE \(column) IS NOT NULL)
                    """)) == true
    }
}
