import Lockstep

/// What to do with a database whose tables no migration made, such as an adopted one.
enum UnrecordedSchema {
    /// Prints a notice if the database has tables and records no migrations.
    static func notice(_ connection: borrowing Connection) throws {
        guard try Ledger.entries(connection).isEmpty else { return }
        let tables: Int? = try connection.value(
            """
            SELECT count(*) FROM pragma_table_list
            WHERE schema = 'main' AND type IN ('table', 'virtual')
                AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'lockstep\\_%' ESCAPE '\\'
            """)
        guard let tables, tables > 0 else { return }
        Output.note("notice: the database has \(counted(tables, "table")), and no migration is recorded")
        Output.note(
            "hint: `lockstep baseline --from-database` writes version 1 from them and records it; "
                + "`lockstep baseline --at VERSION` records versions that you have")
    }
}
