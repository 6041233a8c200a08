internal import CSQLCipher

/// Tells whether others have committed to the database since it was last asked: about 0.5 µs.
@safe
final class DataVersion {
    private var statement: PreparedStatement?

    /// A number that changes with each commit of another connection, and begins the snapshot of the
    /// transaction that is open.
    func read(_ core: ConnectionCore) throws(LockstepError) -> Int64 {
        let prepared =
            if let statement { statement } else {
                try PreparedStatement.prepare("PRAGMA main.data_version", .cached, on: core)
            }
        statement = prepared
        core.hooks?.isSilent = true
        defer {
            unsafe sqlite3_reset(prepared.handle)
            core.hooks?.isSilent = false
        }
        let code = unsafe sqlite3_step(prepared.handle)
        guard code == SQLITE_ROW else { throw core.error(code) }
        return unsafe sqlite3_column_int64(prepared.handle, 0)
    }

    /// Ends the statement for good, so that the connection can be closed.
    func close() {
        statement?.finalize()
        statement = nil
    }
}
