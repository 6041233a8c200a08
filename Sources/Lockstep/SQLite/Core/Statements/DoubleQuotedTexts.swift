internal import CSQLCipher

extension Connection {
    /// Runs `body` under SQLite's old rule for double quotes: a quoted name that matches no column is text.
    /// Elsewhere a misspelled name is an error, as it should be.
    func takingDoubleQuotedTexts<Result: ~Copyable>(
        _ body: () throws -> Result
    ) throws -> Result {
        try core.setDoubleQuotedTexts(true)
        return try running(body) { try core.setDoubleQuotedTexts(false) }
    }
}

extension ConnectionCore {
    fileprivate func setDoubleQuotedTexts(_ on: Bool) throws(LockstepError) {
        for option in [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL] {
            let code = unsafe lockstep_db_config_flag(database, Int32(option), on ? 1 : 0)
            guard code == SQLITE_OK else { throw error(code) }
        }
    }

    /// Whether SQLite has taken a name in double quotes for text, under that rule, in a statement that has run.
    func takesText(in sql: String) throws -> Bool {
        guard sql.utf8.contains(UInt8(ascii: "\"")) else { return false }
        try setDoubleQuotedTexts(false)
        return try running {
            refusal(of: sql)?.context.missing?.kind == .column
        } finally: {
            try setDoubleQuotedTexts(true)
        }
    }
}
