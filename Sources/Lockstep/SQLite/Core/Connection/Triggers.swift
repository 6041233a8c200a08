internal import CSQLCipher

extension Connection {
    /// Runs a statement without firing triggers: for changes in how values are stored, which do not change the
    /// program's data.
    func executeWithoutTriggers(_ sql: SQL, _ values: [Value]) throws(LockstepError) {
        try withoutTriggers { () throws(LockstepError) in
            let statement = try prepare(sql)
            try statement.bind(values: values)
            try statement.run()
        }
    }

    /// Runs `body` without firing triggers.
    func withoutTriggers(_ body: () throws(LockstepError) -> Void) throws(LockstepError) {
        try setTriggers(on: false)
        try running(body) { () throws(LockstepError) in try setTriggers(on: true) }
    }

    private func setTriggers(on isOn: Bool) throws(LockstepError) {
        let code = unsafe lockstep_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, isOn ? 1 : 0)
        guard code == SQLITE_OK else { throw core.error(code) }
    }
}
