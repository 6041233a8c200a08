internal import CSQLCipher

extension Connection {
    /// Runs `body` under SQLite's old rule for double quotes: a quoted name that matches no column is text.
    /// Elsewhere a misspelled name is an error, as it should be.
    func takingDoubleQuotedTexts<Result: ~Copyable>(
        _ body: () throws -> Result
    ) throws -> Result {
        try setDoubleQuotedTexts(true)
        return try running(body) { try setDoubleQuotedTexts(false) }
    }

    private func setDoubleQuotedTexts(_ on: Bool) throws {
        for option in [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL] {
            let code = unsafe lockstep_db_config_flag(handle, Int32(option), on ? 1 : 0)
            guard code == SQLITE_OK else { throw core.error(code) }
        }
    }
}
