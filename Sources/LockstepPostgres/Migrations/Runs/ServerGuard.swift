internal import Lockstep

/// Notices rows and columns that a version loses, from what the server counts anyway: rows deleted (also those that a
/// foreign key deletes with others), tables dropped, tables truncated. A version that rewrites a table, as some ALTER TABLE do,
/// gives it another file and keeps its rows.
struct ServerGuard {
    private struct Table {
        let schema: String
        let name: String
        let file: UInt32
        let size: Int
        let deleted: Int
        let inserted: Int
        let updated: Int
        /// Whether the server's statistics, which can be old, count rows in it.
        let countsRows: Bool
        /// Whether a policy could hide rows.
        let mayHide: Bool

        var title: String { "\(schema).\(name)" }
    }

    private let before: [Int64: Table]
    /// The tables that had pages and no rows, by their numbers.
    private let rowless: Set<Int64>
    /// How many rows the tables had from which the script deletes by its own words.
    private let counts: [Int64: Int]
    /// The columns that the script could drop.
    private let columns: ServerColumnLosses?

    /// Reads what is there, at the beginning of the transaction.
    /// - Throws: `LockstepError.Code.serverUnsupported` if the server counts nothing.
    init(_ script: ServerScript, _ connection: borrowing ServerConnection) throws {
        before = try Self.tables(connection)
        var doubtful: [Int64: Table] = [:]
        if Self.canEmpty(script) {
            // A table that the script names is looked at whatever the statistics say: they are of the last commit at best.
            let named = script.statements.reduce(into: Set<SQLName>()) { $0.formUnion(SQLTokens.names(in: $1.sql)) }
            doubtful = before.filter { _, table in
                table.size > 0 && !table.mayHide && (!table.countsRows || named.contains(SQLName(table.name)))
            }
        }
        let empty = doubtful.isEmpty ? [] : try Self.empty(doubtful, connection)
        rowless = Set(before.filter { $1.size == 0 }.keys).union(empty)
        let deletions = script.statements.map { StatementReader($0.sql) }.filter { $0.contains("delete") }
        let names = deletions.reduce(into: Set<SQLName>()) { $0.formUnion($1.names) }
        var counts: [Int64: Int] = [:]
        for (number, table) in before
        where table.size > 0 && !table.mayHide && names.contains(SQLName(table.name)) {
            let rows: ServerCount? = try connection.value(
                "SELECT pg_catalog.count(*) FROM ONLY \(name: table.schema).\(name: table.name)")
            counts[number] = rows?.value
        }
        self.counts = counts
        columns = try ServerColumnLosses(script, connection)
    }

    /// Whether a script has a word of what makes a table empty or gives it another file. Where that is in a function, a
    /// table with pages and no rows counts as one with rows.
    private static func canEmpty(_ script: ServerScript) -> Bool {
        script.statements.contains { statement in
            let reader = StatementReader(statement.sql)
            return ["drop", "truncate", "alter"].contains { reader.contains($0) }
        }
    }

    /// Which of these tables have no rows, in one question.
    private static func empty(
        _ tables: [Int64: Table], _ connection: borrowing ServerConnection
    ) throws -> [Int64] {
        let questions = tables.map { number, table in
            let name = "\(SQLTokens.quote(table.schema)).\(SQLTokens.quote(table.name))"
            return "SELECT \(number)::int8 WHERE NOT EXISTS (SELECT FROM ONLY \(name))"
        }
        return try connection.query(
            ServerSQL(verbatim: questions.joined(separator: " UNION ALL "))
        ) { try $0[0] as Int64 }
    }

    private static func isEmpty(
        _ table: Table, _ connection: borrowing ServerConnection
    ) throws -> Bool {
        try connection.value(
            "SELECT NOT EXISTS (SELECT FROM ONLY \(name: table.schema).\(name: table.name))"
        ) == true
    }

    private static let uncounted = LockstepError(
        .serverUnsupported, "the server does not count changed rows, so that a loss of rows would go unnoticed",
        hint: "set track_counts to on, for the database or the server")

    /// - Parameter withSizes: Whether to ask for the sizes of their files.
    /// - Throws: `LockstepError.Code.serverUnsupported` if the server counts nothing.
    private static func tables(
        _ connection: borrowing ServerConnection, withSizes: Bool = true
    ) throws -> [Int64: Table] {
        let rows = try connection.query(
            """
            SELECT c.oid::int8, n.nspname::text, c.relname::text,
                coalesce(pg_catalog.pg_relation_filenode(c.oid)::int8, 0),
                CASE WHEN \(withSizes)::bool THEN coalesce(pg_catalog.pg_relation_size(c.oid), 0) ELSE 0 END,
                pg_catalog.pg_stat_get_xact_tuples_deleted(c.oid),
                pg_catalog.pg_stat_get_xact_tuples_inserted(c.oid),
                pg_catalog.pg_stat_get_xact_tuples_updated(c.oid),
                pg_catalog.pg_stat_get_live_tuples(c.oid) OPERATOR(pg_catalog.>) 0, c.relrowsecurity, s.is_counting
            FROM (SELECT pg_catalog.current_setting('track_counts')::bool) AS s (is_counting)
            LEFT JOIN (pg_catalog.pg_class AS c
                JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace)
            ON c.relkind OPERATOR(pg_catalog.=) 'r'::"char" AND c.relpersistence OPERATOR(pg_catalog.<>) 't'::"char"
                AND n.nspname OPERATOR(pg_catalog.<>) ALL (ARRAY['pg_catalog', 'information_schema', 'pg_toast']::name[])
                AND NOT pg_catalog.starts_with(c.relname::text, \(EngineTable.prefix))
            """
        ) { row -> (number: Int64, table: Table)? in
            guard try row[10] as Bool else { throw uncounted }
            // One row without a table says whether the server counts where there is none.
            guard !row.isNull(0) else { return nil }
            return (
                try row[0],
                Table(
                    schema: try row[1], name: try row[2], file: try row[3], size: (try row[4] as ServerCount).value,
                    deleted: (try row[5] as ServerCount).value, inserted: (try row[6] as ServerCount).value,
                    updated: (try row[7] as ServerCount).value,
                    countsRows: try row[8], mayHide: try row[9])
            )
        }
        return Dictionary(rows.compactMap(\.self)) { $1 }
    }

    /// - Parameter allowed: The tables that may lose rows.
    /// - Returns: The losses that are allowed.
    /// - Throws: `LockstepError.Code.rowsLost` for one that is not.
    func requireKept(
        allowing allowed: [String], _ connection: borrowing ServerConnection
    ) throws -> [LockstepError] {
        let after = try Self.tables(connection, withSizes: false)
        var tolerated = try columns?.requireKept(connection) ?? []
        for (number, table) in before.sorted(by: {
            ExactText($0.value.title) < ExactText($1.value.title)
        }) {
            let hadRows = !rowless.contains(number)
            guard let loss = try loss(number, table, hadRows, after[number], connection)
            else { continue }
            let context = LockstepError.Context(table: table.name)
            guard !allowed.contains(where: { Self.names($0, table) }) else {
                tolerated.append(LockstepError(.rowsLost, "rows are lost, as declared: \(loss)", context: context))
                continue
            }
            throw LockstepError(
                .rowsLost, "rows would be lost: \(loss)",
                hint:
                    "if that is intended, declare `-- lockstep: allow loss of table \(table.name)`",
                context: context)
        }
        return tolerated
    }

    private static func names(_ spelling: String, _ table: Table) -> Bool {
        [table.name, table.title].contains {
            $0.asciiLowercased.hasSameBytes(as: spelling.asciiLowercased)
        }
    }

    private func loss(
        _ number: Int64, _ table: Table, _ hadRows: Bool, _ now: Table?,
        _ connection: borrowing ServerConnection
    ) throws -> String? {
        guard let now else {
            return hadRows
                ? "the table \(table.title) is dropped, and it is not empty" : nil
        }
        let deleted = now.deleted - table.deleted
        let inserted = now.inserted - table.inserted
        if now.file != table.file, hadRows, try Self.isTruncated(now, inserted, connection) {
            return "the table \(table.title) is truncated"
        }
        if let count = counts[number], deleted > 0, inserted > 0, now.file == table.file {
            // New rows are no old ones: what stood before and was not changed has a transaction before this one.
            let standing: ServerCount? = try connection.value(
                """
                SELECT pg_catalog.count(*) FROM ONLY \(name: now.schema).\(name: now.name) AS t
                WHERE pg_catalog.age(t.xmin) OPERATOR(pg_catalog.>)
                    pg_catalog.age(pg_catalog.pg_current_xact_id()::xid)
                """)
            let lost = count - (standing?.value ?? 0) - (now.updated - table.updated)
            return lost > 0 ? "\(lost) rows of the table \(table.title)" : nil
        }
        guard deleted > inserted else { return nil }
        return "\(deleted - inserted) rows of the table \(table.title)"
    }

    /// Whether a table with a new file has none of its old rows.
    /// - Parameter inserted: How many rows this transaction has inserted, since it truncated the table if it did.
    private static func isTruncated(
        _ table: Table, _ inserted: Int, _ connection: borrowing ServerConnection
    ) throws -> Bool {
        guard inserted > 0 else { return try isEmpty(table, connection) }
        let rows: ServerCount? = try connection.value(
            "SELECT pg_catalog.count(*) FROM ONLY \(name: table.schema).\(name: table.name)")
        return rows.map { $0.value <= inserted } ?? false
    }
}
