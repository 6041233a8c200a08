/// The tables and columns that the statements of a migration can have written, as far as a sealed column is concerned.
/// An overestimate, like everything that the guard notes.
struct SealedWrites {
    /// The tables that rows were inserted into.
    private var filled: Set<SQLName> = []
    private var updated: [SQLName: Set<SQLName>] = [:]
    /// Whether a table or column was renamed, so that names do not show which column was written.
    private var hasRenamed = false

    /// Notes a statement, with its triggers and the actions of foreign keys.
    mutating func note(_ sql: String, _ use: TableUse) {
        filled.formUnion(use.inserted)
        for (table, column) in use.updated { updated[table, default: []].insert(column) }
        guard use.schema?.altered.isEmpty == false else { return }
        switch AlterStatement(sql) {
        case .addColumn, .dropColumn: break
        case .renameTable, .renameColumn, nil: hasRenamed = true
        }
    }

    /// Whether a statement can have put a value into the column.
    func include(_ column: SealedColumn) -> Bool {
        guard !hasRenamed else { return !filled.isEmpty || !updated.isEmpty }
        let table = SQLName(column.table)
        return filled.contains(table) || filled.contains(SQLName(EngineTables.rebuildPrefix + column.table))
            || updated[table]?.contains(SQLName(column.name)) == true
    }
}
