/// A schema copied into another database without its rows.
enum SchemaCopy {
    /// Runs the definitions of `original` on `copy`, in their order of creation.
    static func run(
        from original: borrowing Connection, to copy: borrowing Connection
    ) throws {
        let definitions = try definitions(of: original)
        try copy.with(rights: .engine) {
            for sql in definitions { try copy.execute(SQL(verbatim: sql)) }
        }
    }

    /// The definitions of the program's objects, without those of virtual tables' content tables, in an order in which
    /// they can run.
    static func definitions(of original: borrowing Connection) throws -> [String] {
        try original.query(
            """
            SELECT s.sql FROM main.sqlite_schema AS s
            LEFT JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = s.name
            WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND s.tbl_name NOT IN (\(verbatim: EngineTables.quotedNames))
              AND coalesce(l.type, '') <> 'shadow'
            ORDER BY s.type = 'trigger', s.type = 'view', s.rowid
            """
        ) { row in try row[0] as String }
    }
}
