internal import CSQLCipher

/// Reads a number that a pragma tells, such as those by which changes are noticed: what a migration is checked by
/// asks for them several times a version. SQLite can run these pragmas again as they were prepared.
@safe
final class HeaderNumber {
    private let sql: String
    private var statement: PreparedStatement?

    init(_ pragma: StaticString) { sql = "PRAGMA main.\(pragma)" }

    func read(_ core: ConnectionCore) throws(LockstepError) -> Int64 {
        let statement = try prepared(core)
        // It is no statement of the program's: nobody is told of it.
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

    /// Ends the statement for good, so that the connection can be closed.
    func close() {
        statement?.finalize()
        statement = nil
    }
}
