/// Finds values in sealed columns that are not cells, by their form alone, which needs no key.
///
/// The guards refuse such values. This check does not depend on them: anyone with the database's key can have dropped
/// them, and rows that a rebuild copies pass none.
enum SealedContentCheck {
    /// Requires that sealed columns contain only cells and NULL. Each column takes one pass over its table, which reads
    /// the beginning of every cell.
    /// - Parameter isWritten: Whether a column needs to be read.
    /// - Throws: ``LockstepError/Code/migrationFailed``.
    static func requireCells(_ connection: borrowing Connection, where isWritten: (SealedColumn) -> Bool) throws {
        // A column that is being sealed or unsealed also contains plaintext.
        for column in try RegistryTables.claimed(connection) where column.state == .sealed && isWritten(column) {
            guard try SealedTable(column.table, connection)?.column(column.name) != nil else {
                continue
            }
            let name = SQLTokens.quote(column.name)
            let count = try connection.value(
                """
                SELECT count(*) FROM main.\(name: column.table)
                WHERE \(verbatim: name) IS NOT NULL
                    AND NOT \(verbatim: CellShape.matches(name, column.mode))
                """, as: Int.self)
            guard let count, count > 0 else { continue }
            throw LockstepError(
                .migrationFailed,
                "\(column.title) is sealed, but the migration would leave "
                    + "\(counted(count, "value")) in it that \(count == 1 ? "is" : "are") not sealed",
                advice: """
                    change its values through the view of the table, in the program; or unprotect the column before, and \
                    protect it afterwards; if the migration does not write it, \(.verifyFields) shows since when
                    """,
                context: column.context)
        }
    }
}
