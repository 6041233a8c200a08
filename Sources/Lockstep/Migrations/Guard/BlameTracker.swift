/// The statements of a migration that can be the reason for a failed check at its end, so that the error can name
/// a line. If several statements touched the same table, the last one is reported.
struct BlameTracker {
    struct Statement {
        /// The line in the file where it begins; 0 for code.
        let line: Int
        let sql: String
    }

    private var taking: [SQLName: Statement] = [:]
    private var orphaning: [SQLName: Statement] = [:]
    private var changing: [Statement] = []

    /// - Parameter tables: Tables whose rows it can change.
    mutating func note(
        _ statement: Statement, changes tables: Set<SQLName>, orphans children: Set<SQLName>, changesSchema: Bool
    ) {
        for table in tables { taking[table] = statement }
        for child in children { orphaning[child] = statement }
        if changesSchema { changing.append(statement) }
    }

    /// The statement that can have removed rows from a table.
    func taking(_ table: SQLName) -> Statement? { taking[table] }

    /// The statement that can have removed the parents of a table's rows.
    func orphaning(_ child: SQLName) -> Statement? { orphaning[child] }

    /// The last schema change that mentions one of these objects; otherwise the last schema change.
    func changing(_ names: [SQLName]) -> Statement? {
        let mentioning = changing.last { statement in
            SQLCursor(statement.sql).tokens.contains {
                ($0.kind == .word || $0.kind == .quotedName) && names.contains($0.name)
            }
        }
        return mentioning ?? changing.last
    }
}

extension SchemaGuard {
    /// The error of a check, with its place in the script and the statement that can be the reason.
    func located(_ error: LockstepError, _ origin: ScriptOrigin) -> LockstepError {
        located(error, origin, by: suspect)
    }

    func located(_ error: LockstepError, _ origin: ScriptOrigin, by suspect: BlameTracker.Statement?) -> LockstepError {
        guard let suspect else { return origin.located(error) }
        let located = origin.located(error, line: suspect.line > 0 ? suspect.line : nil)
        return LockstepError(
            error.code, "\(located.message), by: \(SQLTokens.redact(suspect.sql))",
            advice: error.advice, context: located.context)
    }
}
