internal import CSQLCipher

/// Reads a number through a pragma, such as the counters that reveal changes: the checks of a migration read
/// them several times per version. SQLite can run these pragmas again without preparing them again.
@safe
final class HeaderNumber {
    private let sql: String
    private var statement: PreparedStatement?

    init(_ pragma: StaticString) { sql = "PRAGMA main.\(pragma)" }

    func read(_ core: ConnectionCore) throws(LockstepError) -> Int64 {
        let statement = try prepared(core)
        // This is not one of the program's statements, so hooks do not see it.
        core.hooks?.isSilent = true
        defer {
            unsafe sqlite3_reset(statement.handle)
            core.hooks?.isSilent = false
        }
        let code = unsafe sqlite3_step(statement.handle)
        guard code == SQLITE_ROW else { throw core.error(code, sql: sql) }
        return unsafe sqlite3_column_int64(statement.handle, 0)
    }

    private func prepared(_ core: ConnectionCore) throws(LockstepError) -> PreparedStatement {
        if let statement { return statement }
        let statement = try PreparedStatement.engines(sql, on: core)
        self.statement = statement
        return statement
    }

    /// Finalizes the statement, so that the connection can close.
    func close() {
        statement?.finalize()
        statement = nil
    }
}
