internal import Lockstep

/// The columns of a table as they are at one moment.
struct TableColumns {
    let number: Int64
    let schema: String
    let name: String
    /// In their order.
    let columns: [String]
    /// The columns of its primary key.
    let key: [String]

    /// The columns by which its rows differ: the key, or all.
    var comparison: [String] { key.isEmpty ? columns : key }

    init(_ number: Int64, _ schema: String, _ name: String, _ connection: borrowing ServerConnection) throws {
        (self.number, self.schema, self.name) = (number, schema, name)
        let rows = try connection.query(
            """
            SELECT a.attname::text, coalesce(a.attnum OPERATOR(pg_catalog.=) ANY (i.indkey::int2[]), false)
            FROM pg_catalog.pg_attribute AS a
            LEFT JOIN pg_catalog.pg_index AS i ON i.indrelid OPERATOR(pg_catalog.=) a.attrelid AND i.indisprimary
            WHERE a.attrelid OPERATOR(pg_catalog.=) \(number)::int8::oid AND a.attnum OPERATOR(pg_catalog.>) 0
                AND NOT a.attisdropped
            ORDER BY a.attnum
            """
        ) { row in (name: try row[0] as String, isKey: try row[1] as Bool) }
        columns = rows.map(\.name)
        key = rows.filter(\.isKey).map(\.name)
    }

    /// Another table that has its name now.
    func successor(_ connection: borrowing ServerConnection) throws -> TableColumns? {
        let now = try connection.query(
            """
            SELECT c.oid::int8 FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE c.relkind OPERATOR(pg_catalog.=) 'r' AND c.relname::text OPERATOR(pg_catalog.=) \(name)
                AND n.nspname::text OPERATOR(pg_catalog.=) \(schema) AND NOT pg_catalog.row_security_active(c.oid)
            """
        ) { try $0[0] as Int64 }.first
        return try now.map { try TableColumns($0, schema, name, connection) }
    }
}
