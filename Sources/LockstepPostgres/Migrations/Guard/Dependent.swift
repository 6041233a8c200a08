internal import Lockstep

/// What hangs on a table and goes with it.
struct Dependent {
    /// "trigger", "index", "constraint", "policy".
    private let kind: String
    let name: String
    /// What it says, without its name where that means nothing.
    private let definition: String
    /// Whether rows can be wrong without it, and the table's definition, which the version writes itself, does not have it.
    let isRequired: Bool

    /// The same thing can have another name.
    var identity: [ExactText] { [ExactText(kind), ExactText(definition)] }
    var title: String { "the \(kind) \(name)" }

    static func all(of table: Int64, _ connection: borrowing ServerConnection) throws -> [Dependent] {
        try connection.query(
            """
            SELECT 'trigger', t.tgname::text, t.tgname::text, true FROM pg_catalog.pg_trigger AS t
            WHERE t.tgrelid OPERATOR(pg_catalog.=) \(table)::int8::oid AND NOT t.tgisinternal
            UNION ALL
            SELECT 'policy', p.polname::text, p.polname::text, true FROM pg_catalog.pg_policy AS p
            WHERE p.polrelid OPERATOR(pg_catalog.=) \(table)::int8::oid
            UNION ALL
            SELECT CASE WHEN i.indisunique THEN 'unique index' ELSE 'index' END, c.relname::text,
                pg_catalog.regexp_replace(pg_catalog.pg_get_indexdef(i.indexrelid), '^.*? USING ', ''), i.indisunique
            FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
            WHERE i.indrelid OPERATOR(pg_catalog.=) \(table)::int8::oid AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_constraint AS k WHERE k.conindid OPERATOR(pg_catalog.=) i.indexrelid
                    AND k.conrelid OPERATOR(pg_catalog.=) i.indrelid)
            UNION ALL
            SELECT 'constraint', k.conname::text, pg_catalog.pg_get_constraintdef(k.oid), false
            FROM pg_catalog.pg_constraint AS k
            WHERE k.conrelid OPERATOR(pg_catalog.=) \(table)::int8::oid
                AND k.contype OPERATOR(pg_catalog.=) ANY (ARRAY['c', 'f', 'p', 'u', 'x']::"char"[])
            UNION ALL
            SELECT 'foreign key', r.relname::text || '.' || k.conname::text,
                r.relname::text || ' ' || pg_catalog.pg_get_constraintdef(k.oid), false
            FROM pg_catalog.pg_constraint AS k
            JOIN pg_catalog.pg_class AS r ON r.oid OPERATOR(pg_catalog.=) k.conrelid
            WHERE k.confrelid OPERATOR(pg_catalog.=) \(table)::int8::oid AND k.contype OPERATOR(pg_catalog.=) 'f'
                AND k.conrelid OPERATOR(pg_catalog.<>) k.confrelid
            ORDER BY 1, 2
            """
        ) { row in
            Dependent(kind: try row[0], name: try row[1], definition: try row[2], isRequired: try row[3])
        }
    }
}
