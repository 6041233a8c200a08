internal import CSQLCipher

/// Reads the number that SQLite counts up at each change of the schema. What a migration is checked by asks for it
/// several times a version.
@safe
final class SchemaVersion {
    private static let sql = "PRAGMA main.schema_version"

    private var statement: PreparedStatement?

    func read(_ core: ConnectionCore) throws(LockstepError) -> Int64 {
        let statement = try prepared(core)
        defer { unsafe sqlite3_reset(statement.handle) }
        let code = unsafe sqlite3_step(statement.handle)
        guard code == SQLITE_ROW else { throw core.error(code, sql: Self.sql) }
        return unsafe sqlite3_column_int64(statement.handle, 0)
    }

    private func prepared(_ core: ConnectionCore) throws(LockstepError) -> PreparedStatement {
        if let statement { return statement }
        let statement = try PreparedStatement.engines(Self.sql, on: core)
        self.statement = statement
        return statement
    }

    /// Ends the statement for good, so that the connection can be closed.
    func close() {
        statement?.finalize()
        statement = nil
    }
}
