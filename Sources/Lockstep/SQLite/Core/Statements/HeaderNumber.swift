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

/// A state of the main database, as the open transaction of a connection sees it.
struct SeenState: Equatable {
    private let data: UInt32
    /// Rows and pieces of blobs that the connection has changed, the open transaction's included.
    private let changes: Int64
    /// Whether the transaction holds the write lock, so that what it sees can be its own, and be undone.
    let mayBeUndone: Bool

    static func == (one: SeenState, other: SeenState) -> Bool {
        one.data == other.data && one.changes == other.changes
    }

    fileprivate init(data: UInt32, changes: Int64, mayBeUndone: Bool) {
        (self.data, self.changes, self.mayBeUndone) = (data, changes, mayBeUndone)
    }
}

extension ConnectionCore {
    /// What the open transaction sees; nil if none holds on to a state yet. This takes some 50 ns.
    var seenState: SeenState? {
        guard isInTransaction else { return nil }
        let transaction = unsafe sqlite3_txn_state(database, "main")
        guard transaction != SQLITE_TXN_NONE else { return nil }
        var data: UInt32 = 0
        let code = unsafe sqlite3_file_control(
            database, "main", SQLITE_FCNTL_DATA_VERSION, &data)
        guard code == SQLITE_OK else { return nil }
        return SeenState(data: data, changes: totalChanges &+ blobWrites, mayBeUndone: transaction != SQLITE_TXN_READ)
    }
}
