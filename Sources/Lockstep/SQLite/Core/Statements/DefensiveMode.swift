internal import CSQLCipher

extension Connection {
    /// Whether SQLite refuses SQL that writes its own tables: on for every connection, except while a migration edits
    /// definitions.
    func setDefensive(_ on: Bool) throws(LockstepError) {
        let code = unsafe lockstep_db_config_flag(handle, Int32(SQLITE_DBCONFIG_DEFENSIVE), on ? 1 : 0)
        guard code == SQLITE_OK else { throw core.error(code) }
    }
}
