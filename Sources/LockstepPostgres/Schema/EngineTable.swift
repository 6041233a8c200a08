internal import Lockstep

/// Lockstep's own tables on a server. All their names begin with `lockstep_`.
enum EngineTable {
    enum Kind {
        /// An ordinary table, without rules or policies that would change what statements on it do.
        case table
        case other
    }

    static let prefix = "lockstep_"

    /// What a name means in a schema; nil for nothing.
    static func kind(
        _ name: String, in schema: String, _ connection: borrowing ServerConnection
    ) throws -> Kind? {
        let isTable: Bool? = try connection.value(
            """
            SELECT \(verbatim: isOrdinary)
            FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE n.nspname OPERATOR(pg_catalog.=) \(schema)::name
                AND c.relname OPERATOR(pg_catalog.=) \(name)::name
            """)
        return isTable.map { $0 ? .table : .other }
    }

    /// The kinds of all `lockstep_` objects in a schema, in one query.
    static func kinds(
        in schema: String, _ connection: borrowing ServerConnection
    ) throws -> [String: Kind] {  // exact: looked up with names of the source
        let found = try connection.query(
            """
            SELECT c.relname::text, \(verbatim: isOrdinary)
            FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE n.nspname OPERATOR(pg_catalog.=) \(schema)::name
                AND pg_catalog.starts_with(c.relname::text, \(prefix))
            """
        ) { (try $0[0] as String, try $0[1] as Bool ? Kind.table : .other) }
        return Dictionary(found) { first, _ in first }
    }

    private static let isOrdinary =
        "(c.relkind OPERATOR(pg_catalog.=) 'r' AND NOT c.relhasrules AND NOT c.relrowsecurity AND NOT c.relhassubclass)"
}
