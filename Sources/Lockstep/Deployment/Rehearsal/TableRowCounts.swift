/// The row counts of the program's tables.
package struct TableRowCounts {
    private let counts: [ExactText: Int]

    package init(_ counts: [ExactText: Int]) { self.counts = counts }

    /// Counts the rows, which reads a b-tree of every table.
    init(_ connection: borrowing Connection) throws {
        let names = try connection.query(
            """
            SELECT name FROM pragma_table_list
            WHERE schema = 'main' AND type IN ('table', 'virtual')
              AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'lockstep\\_%' ESCAPE '\\'
            """
        ) { row in try row[0] as String }
        var counts: [ExactText: Int] = [:]
        for name in names {
            do {
                counts[ExactText(name)] = try connection.value(
                    "SELECT count(*) FROM main.\(name: name)")
            } catch let error as LockstepError where error.code == .sqlFailed {
                // Its definition is broken, which the guards and verification report.
            }
        }
        self.counts = counts
    }

    /// The tables whose row counts have changed since `before`, by name.
    package func changes(since before: TableRowCounts) -> [RehearsalReport.RowChange] {
        Set(counts.keys).union(before.counts.keys).sorted().compactMap { table in
            let change = RehearsalReport.RowChange(
                table: table.text, before: before.counts[table], after: counts[table])
            return change.before == change.after ? nil : change
        }
    }
}
