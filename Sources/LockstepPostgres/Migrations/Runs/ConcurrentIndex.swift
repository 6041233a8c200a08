internal import Lockstep

/// Indexes that are built, dropped or built again while others write. What is cut off in it leaves an index that is
/// invalid: it costs every write, and answers no query.
enum ConcurrentIndex {
    enum State {
        case missing, valid, invalid
    }

    /// The state of the index of this name on a table, and its schema, which is the table's.
    static func state(
        _ name: String, on table: StatementReader.Name, _ connection: borrowing ServerConnection
    ) throws -> (state: State, schema: String) {
        let found = try connection.query(
            """
            SELECT i.indisvalid AND i.indisready, n.nspname::text
            FROM pg_catalog.pg_index AS i
            JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE i.indrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(\(text(table)))
                AND c.relname OPERATOR(pg_catalog.=) \(name)::name
            """
        ) { (isValid: try $0[0] as Bool, schema: try $0[1] as String) }
        guard let first = found.first else { return (.missing, "") }
        return (first.isValid ? .valid : .invalid, first.schema)
    }

    /// Whether a table or an index of this name exists.
    static func exists(
        _ name: StatementReader.Name, _ connection: borrowing ServerConnection
    ) throws -> Bool {
        let found: Bool? = try connection.value("SELECT pg_catalog.to_regclass(\(text(name))) IS NOT NULL")
        return found == true
    }

    /// Whether a table of this name exists and holds a page.
    static func isFilled(
        _ name: StatementReader.Name, _ connection: borrowing ServerConnection
    ) throws -> Bool {
        let size: Int64? = try connection.value(
            "SELECT pg_catalog.pg_relation_size(pg_catalog.to_regclass(\(text(name))))")
        return size ?? 0 > 0
    }

    /// Drops the index of this name on a table if it is invalid.
    static func dropInvalid(
        _ name: String, on table: StatementReader.Name, _ connection: borrowing ServerConnection
    ) throws {
        let (state, schema) = try state(name, on: table, connection)
        guard state == .invalid else { return }
        try connection.execute("DROP INDEX CONCURRENTLY \(name: schema).\(name: name)")
    }

    /// Drops the invalid indexes that a REINDEX CONCURRENTLY of an index or table has left: their names are those of
    /// their originals with `_ccnew` or `_ccold` and perhaps a number after them.
    static func dropRemains(
        of name: StatementReader.Name, _ connection: borrowing ServerConnection
    ) throws {
        let remains = try connection.query(
            """
            SELECT n.nspname::text, c.relname::text
            FROM pg_catalog.pg_index AS i
            JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE NOT i.indisvalid AND c.relname OPERATOR(pg_catalog.~) '_cc(new|old)[0-9]*$'
                AND i.indrelid IN (
                    SELECT pg_catalog.to_regclass(\(text(name)))::oid
                    UNION ALL
                    SELECT indrelid FROM pg_catalog.pg_index
                    WHERE indexrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(\(text(name))))
            """
        ) { (schema: try $0[0] as String, name: try $0[1] as String) }
        for one in remains {
            try connection.execute(
                "DROP INDEX CONCURRENTLY \(name: one.schema).\(name: one.name)")
        }
    }

    private static func text(_ name: StatementReader.Name) -> String {
        name.map { SQLTokens.quote($0) }.joined(separator: ".")
    }
}
