internal import Lockstep

/// Notices what a version does to rows and columns without saying so, from what the server counts anyway: rows deleted and
/// updated (also those that a foreign key or a trigger takes along), tables dropped, tables truncated. A version that
/// rewrites a table, as some ALTER TABLE do, gives it another file and keeps its rows; the rows of a table that it replaces
/// are compared by digests.
struct ServerGuard {
    fileprivate struct Table {
        let schema: String
        let name: String
        /// The name that a migration can know: a partition's is that of the whole, since programs make partitions.
        let root: String
        let file: UInt32
        let size: Int
        let deleted: Int
        let inserted: Int
        let updated: Int
        /// Whether the server's statistics, which can be old, count rows in it.
        let countsRows: Bool
        /// Whether a policy could hide rows.
        let mayHide: Bool
        /// Whether an extension keeps it.
        let isOfExtension: Bool

        var title: String { "\(schema).\(name)" }

        func isNamed(in names: Set<SQLName>) -> Bool { [name, root].contains { names.contains(SQLName($0)) } }

        func isNamed(_ spelling: String) -> Bool {
            [name, title, root].contains { $0.asciiLowercased.hasSameBytes(as: spelling.asciiLowercased) }
        }
    }

    private let script: ServerScript
    private let before: [Int64: Table]
    /// The tables that had pages and no rows, by their numbers.
    private let rowless: Set<Int64>
    /// How many rows the tables had from which the script deletes by its own words.
    private let counts: [Int64: Int]
    /// The columns that the script could drop.
    private let columns: ServerColumnLosses?
    private let replaced: ReplacedTables

    /// Reads what is there, at the beginning of the transaction.
    /// - Throws: `LockstepError.Code.serverUnsupported` if the server counts nothing.
    init(_ script: ServerScript, _ connection: borrowing ServerConnection) throws {
        self.script = script
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
        let rowless = Set(before.filter { $1.size == 0 }.keys).union(empty)
        self.rowless = rowless
        let deleting = script.readers.filter { $0.contains("delete") }
            .reduce(into: Set<SQLName>()) { $0.formUnion($1.names) }
        var counts: [Int64: Int] = [:]
        for (number, table) in before where table.size > 0 && !table.mayHide && table.isNamed(in: deleting) {
            counts[number] = try Self.count(table, connection)
        }
        self.counts = counts
        columns = try ServerColumnLosses(script, connection)
        let filled = before.filter { !rowless.contains($0.key) && !$0.value.mayHide && !script.allows($0.value) }
        replaced = try ReplacedTables(
            script, filled: filled.map { ($0.key, $0.value.schema, $0.value.name) }, connection)
    }

    private static func count(_ table: Table, _ connection: borrowing ServerConnection) throws -> Int {
        let rows: ServerCount? = try connection.value(
            "SELECT pg_catalog.count(*) FROM ONLY \(name: table.schema).\(name: table.name)")
        return rows?.value ?? 0
    }

    /// Whether a script has a word of what makes a table empty or gives it another file. Where that is in a function, a
    /// table with pages and no rows counts as one with rows.
    private static func canEmpty(_ script: ServerScript) -> Bool {
        script.readers.contains { reader in ["drop", "truncate", "alter"].contains { reader.contains($0) } }
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
                pg_catalog.pg_stat_get_live_tuples(c.oid) OPERATOR(pg_catalog.>) 0, c.relrowsecurity, s.is_counting,
                coalesce(r.relname, c.relname)::text, EXISTS (SELECT FROM pg_catalog.pg_depend AS d
                    WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
                        AND d.objid OPERATOR(pg_catalog.=) c.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'::"char")
            FROM (SELECT pg_catalog.current_setting('track_counts')::bool) AS s (is_counting)
            LEFT JOIN (pg_catalog.pg_class AS c
                JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
                LEFT JOIN pg_catalog.pg_class AS r ON c.relispartition
                    AND r.oid OPERATOR(pg_catalog.=) pg_catalog.pg_partition_root(c.oid))
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
                    schema: try row[1], name: try row[2], root: try row[11], file: try row[3],
                    size: (try row[4] as ServerCount).value,
                    deleted: (try row[5] as ServerCount).value, inserted: (try row[6] as ServerCount).value,
                    updated: (try row[7] as ServerCount).value,
                    countsRows: try row[8], mayHide: try row[9], isOfExtension: try row[12])
            )
        }
        return Dictionary(rows.compactMap(\.self)) { $1 }
    }

    /// - Returns: The losses that are allowed, and notices.
    /// - Throws: `LockstepError.Code.rowsLost` and `LockstepError.Code.valuesLost` for one that is not.
    func requireKept(_ connection: borrowing ServerConnection) throws -> [LockstepError] {
        let after = try Self.tables(connection, withSizes: false)
        var tolerated = try columns?.requireKept(connection) ?? []
        var changes: [UnsaidChanges.Change] = []
        let named = script.readers.reduce(into: Set<SQLName>()) { $0.formUnion($1.names) }
        for (number, table) in before.sorted(by: { ExactText($0.value.title) < ExactText($1.value.title) }) {
            let now = after[number]
            // What an extension notes of what was done, in tables of its own, is no row of the application's.
            if table.isOfExtension, now != nil, !table.isNamed(in: named) { continue }
            let context = LockstepError.Context(table: table.root)
            guard !script.uncheckedTables.contains(where: table.isNamed) else {
                guard isTouched(number, table, after) else { continue }
                let what = "the rows of \(table.root) are not compared, as declared"
                tolerated.append(LockstepError(.rowsLost, what, context: context))
                continue
            }
            if let now, now.updated > table.updated {
                changes.append(
                    .init(
                        number: number, names: [table.name, now.name], root: table.root,
                        rows: now.updated - table.updated))
            }
            guard let loss = try loss(number, table, after, &tolerated, connection) else { continue }
            guard !script.allows(table) else {
                tolerated.append(LockstepError(.rowsLost, "rows are lost, as declared: \(loss)", context: context))
                continue
            }
            throw LockstepError(
                .rowsLost, "rows would be lost: \(loss)",
                hint: "if that is intended, declare `-- lockstep: allow loss of table \(table.root)`", context: context)
        }
        tolerated += try UnsaidChanges(script).requireNone(changes, connection) { number in
            guard let table = before[number] else { return .init(haveGone: false, haveChanged: false) }
            guard let now = after[number] else { return .init(haveGone: true, haveChanged: false) }
            return .init(haveGone: now.deleted > table.deleted, haveChanged: now.updated > table.updated)
        }
        return tolerated
    }

    /// Whether a version has written to a table of before, or dropped it.
    private func isTouched(_ number: Int64, _ table: Table, _ after: [Int64: Table]) -> Bool {
        guard let now = after[number] else { return !rowless.contains(number) }
        return now.deleted > table.deleted || now.updated > table.updated || now.inserted > table.inserted
            || now.file != table.file
    }

    private func loss(
        _ number: Int64, _ table: Table, _ after: [Int64: Table], _ tolerated: inout [LockstepError],
        _ connection: borrowing ServerConnection
    ) throws -> String? {
        let hadRows = !rowless.contains(number)
        guard let now = after[number] else {
            guard hadRows else { return nil }
            switch try replaced.outcome(number, connection) {
            case .gone: return "the table \(table.title) is dropped, and it is not empty"
            case .differs(let rows, let now):
                return
                    "the table \(table.title) is replaced, and its \(rows) rows are not among the \(now) of the other one"
            case .stands(let notices):
                tolerated += notices
                return nil
            }
        }
        let deleted = now.deleted - table.deleted
        let inserted = now.inserted - table.inserted
        if now.file != table.file, hadRows, try Self.isTruncated(now, inserted, connection) {
            return "the table \(table.title) is truncated"
        }
        guard deleted > 0, !isMoved(table, after) else { return nil }
        if inserted > 0, now.file == table.file, !now.mayHide { return try lost(number, table, now, connection) }
        return deleted > inserted ? "\(deleted - inserted) rows of the table \(table.title)" : nil
    }

    /// The rows of before that are gone from a table that has new ones too.
    private func lost(
        _ number: Int64, _ table: Table, _ now: Table, _ connection: borrowing ServerConnection
    ) throws -> String? {
        let deleted = now.deleted - table.deleted
        // A script that deletes nothing by name hardly deletes the rows that it has inserted.
        guard let count = counts[number] else { return "up to \(deleted) rows of the table \(table.title)" }
        // What stood before and was not changed has a transaction before this one.
        let untouched: ServerCount? = try connection.value(
            """
            SELECT pg_catalog.count(*) FROM ONLY \(name: now.schema).\(name: now.name) AS t
            WHERE pg_catalog.age(t.xmin) OPERATOR(pg_catalog.>)
                pg_catalog.age(pg_catalog.pg_current_xact_id()::xid)
            """)
        let touched = count - (untouched?.value ?? 0)
        guard now.updated > table.updated else {
            return touched > 0 ? "\(touched) rows of the table \(table.title)" : nil
        }
        // Which of the changed rows were deleted afterwards, the counts do not say: it can be all of the deleted ones.
        let most = min(deleted, touched)
        return most > 0 ? "up to \(most) rows of the table \(table.title)" : nil
    }

    /// Whether a table with a new file has none of its old rows.
    /// - Parameter inserted: How many rows this transaction has inserted, since it truncated the table if it did.
    private static func isTruncated(
        _ table: Table, _ inserted: Int, _ connection: borrowing ServerConnection
    ) throws -> Bool {
        guard inserted > 0 else { return try isEmpty(table, connection) }
        return try count(table, connection) <= inserted
    }

    /// Whether all rows that have left a partition are in others of the same table: an update of the partition's key moves
    /// them, and counts as a deletion and an insertion. Where the script deletes, nothing shows which rows are which.
    private func isMoved(_ table: Table, _ after: [Int64: Table]) -> Bool {
        guard ExactText(table.root) != ExactText(table.name) else { return false }
        let isSaid = script.readers.contains { reader in
            ["delete", "truncate", "insert"].contains { reader.contains($0) }
        }
        guard !isSaid else { return false }
        let parts = after.filter { $1.root.hasSameBytes(as: table.root) && $1.schema.hasSameBytes(as: table.schema) }
        return parts.reduce(0) { sum, part in
            let old = before[part.key]
            return sum + part.value.inserted - (old?.inserted ?? 0) - part.value.deleted + (old?.deleted ?? 0)
        } >= 0
    }
}

extension ServerScript {
    /// Whether a table may lose its rows.
    fileprivate func allows(_ table: ServerGuard.Table) -> Bool { allowedLosses.contains(where: table.isNamed) }
}
