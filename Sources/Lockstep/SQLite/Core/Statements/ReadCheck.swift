internal import CSQLCipher

/// Checks that all pages that were read verified.
///
/// If a page does not verify, SQLCipher passes SQLite a page of zeros and records the failure, which only the
/// next page read reports. If no page follows, a statement succeeds with values that are not the row's. So the
/// engine reads one more page before it trusts a result: about 1 µs per transaction.
@safe
final class ReadCheck {
    private static let sql = "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema)"

    private var probe: PreparedStatement?
    private var hold: PreparedStatement?
    private var isHolding = false

    /// Reads a page while the snapshot of the earlier reads is still open.
    /// - Throws: ``LockstepError/Code/damaged`` if one of its pages did not verify.
    func requireSound(_ core: ConnectionCore) throws(LockstepError) {
        let statement = try prepared(&probe, core)
        let code = quietly(core) {
            defer { unsafe sqlite3_reset(statement.handle) }
            return unsafe sqlite3_step(statement.handle)
        }
        guard code != SQLITE_ROW else { return }
        // The codes that SQLCipher reports for a page that does not verify.
        guard [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) else {
            throw core.error(code)
        }
        throw LockstepError(
            .damaged, "a page that was read does not verify, so the values that were read cannot be trusted",
            advice: "run \(.verify) to see which pages are damaged", sqliteCode: code)
    }

    /// Outside a transaction, keeps the snapshot of the next statement open until ``release(_:)``; false if
    /// there is nothing to keep.
    func keepSnapshot(_ core: ConnectionCore) throws(LockstepError) -> Bool {
        guard !isHolding, !core.isClosed, !core.isInTransaction, core.authorizer.mode != .engine else { return false }
        let statement = try prepared(&hold, core)
        let code = quietly(core) { unsafe sqlite3_step(statement.handle) }
        guard code == SQLITE_ROW else {
            _ = quietly(core) { unsafe sqlite3_reset(statement.handle) }
            throw core.error(code, sql: Self.sql)
        }
        isHolding = true
        return true
    }

    /// Releases the snapshot.
    func release(_ core: ConnectionCore) {
        guard isHolding, let hold else { return }
        _ = quietly(core) { unsafe sqlite3_reset(hold.handle) }
        isHolding = false
    }

    /// These are not the program's statements: its hooks do not see them and cannot interrupt them.
    private func quietly(_ core: ConnectionCore, _ body: () -> Int32) -> Int32 {
        core.hooks?.isSilent = true
        defer { core.hooks?.isSilent = false }
        return body()
    }

    /// Finalizes the statements, so that the connection can close.
    func close() {
        probe?.finalize()
        hold?.finalize()
        probe = nil
        hold = nil
    }

    private func prepared(
        _ place: inout PreparedStatement?, _ core: ConnectionCore
    ) throws(LockstepError) -> PreparedStatement {
        if let statement = place { return statement }
        let statement = try PreparedStatement.engines(Self.sql, on: core)
        place = statement
        return statement
    }
}
