internal import CSQLCipher

/// Finds out whether all pages that were read verified.
///
/// Where a page does not, SQLCipher hands SQLite a page of zeros and notes the failure, which only the next
/// page that is read reports. If there is none, a statement ends well with values that are not the row's.
/// So one more page is read before anything that was read is believed: about 1 µs a transaction.
@safe
final class ReadCheck {
    private static let sql = "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema)"

    private var probe: PreparedStatement?
    private var hold: PreparedStatement?
    private var isHolding = false

    /// Reads a page, while the snapshot of what was read before is still open.
    /// - Throws: ``LockstepError/Code/damaged`` if a page of it did not verify.
    func requireSound(_ core: ConnectionCore) throws(LockstepError) {
        let statement = try prepared(&probe, core)
        let code = quietly(core) {
            defer { unsafe sqlite3_reset(statement.handle) }
            return unsafe sqlite3_step(statement.handle)
        }
        guard code != SQLITE_ROW else { return }
        // What SQLCipher reports for a page that does not verify.
        guard [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) else {
            throw core.error(code)
        }
        throw LockstepError(
            .damaged,
            "a page that was read does not verify, and what was read is not to be believed",
            hint: "run `lockstep verify` to see which pages are damaged", sqliteCode: code)
    }

    /// Outside a transaction, keeps the snapshot of the statement that is about to run open until
    /// ``release(_:)``; false if there is nothing to keep.
    func keepSnapshot(_ core: ConnectionCore) throws(LockstepError) -> Bool {
        guard !isHolding, !core.isClosed, !core.isInTransaction, core.authorizer.mode != .engine
        else { return false }
        let statement = try prepared(&hold, core)
        let code = quietly(core) { unsafe sqlite3_step(statement.handle) }
        guard code == SQLITE_ROW else {
            _ = quietly(core) { unsafe sqlite3_reset(statement.handle) }
            throw core.error(code, sql: Self.sql)
        }
        isHolding = true
        return true
    }

    /// Lets go of the snapshot.
    func release(_ core: ConnectionCore) {
        guard isHolding, let hold else { return }
        _ = quietly(core) { unsafe sqlite3_reset(hold.handle) }
        isHolding = false
    }

    /// These are no statements of the program: it is not told of them, and cannot give them up.
    private func quietly(_ core: ConnectionCore, _ body: () -> Int32) -> Int32 {
        core.hooks?.isSilent = true
        defer { core.hooks?.isSilent = false }
        return body()
    }

    /// Ends the statements for good, so that the connection can be closed.
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
