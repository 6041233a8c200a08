internal import CSQLCipher

/// The statements that begin and end transactions, prepared once a connection.
@safe
final class TransactionControl {
    enum Command: Int, CaseIterable {
        /// A snapshot from the first read on.
        case beginDeferred
        /// The write lock at once, so that a transaction cannot fail half-way for want of it.
        case beginImmediate
        case commit, rollBack
        case savepoint, release, rollBackToSavepoint
        /// Whether the connection may write at all.
        case forbidWriting, allowWriting

        fileprivate var sql: String {
            switch self {
            case .beginDeferred: "BEGIN DEFERRED"
            case .beginImmediate: "BEGIN IMMEDIATE"
            case .commit: "COMMIT"
            case .rollBack: "ROLLBACK"
            case .savepoint: "SAVEPOINT lockstep_savepoint"
            case .release: "RELEASE lockstep_savepoint"
            case .rollBackToSavepoint: "ROLLBACK TO lockstep_savepoint"
            case .forbidWriting: "PRAGMA query_only = ON"
            case .allowWriting: "PRAGMA query_only = OFF"
            }
        }
    }

    private var statements = [PreparedStatement?](repeating: nil, count: Command.allCases.count)

    /// Runs a command.
    /// - Throws: ``LockstepError/Code/busy`` and whatever else SQLite reports. Some errors have ended
    ///   the transaction by then.
    func run(_ command: Command, on core: ConnectionCore) throws(LockstepError) {
        let statement = try prepared(command, on: core)
        // SQLite may prepare it anew, and asks again what it may do.
        let mode = core.authorizer.mode
        core.authorizer.mode = .engine
        defer { core.authorizer.mode = mode }
        // A program that gives up its statement must not give up the engine's.
        core.hooks?.isPaused = true
        defer { core.hooks?.isPaused = false }
        var code = SQLITE_INTERRUPT
        // What cancels a closure may strike here a moment late, before the command has done anything.
        for _ in 0..<100 where code == SQLITE_INTERRUPT {
            code = unsafe sqlite3_step(statement.handle)
            unsafe sqlite3_reset(statement.handle)
        }
        guard code == SQLITE_DONE else { throw core.error(code, sql: command.sql) }
        if command == .beginDeferred || command == .beginImmediate { core.isDoomed = false }
    }

    /// Ends the statements for good, so that the connection can be closed.
    func close() {
        for statement in statements { statement?.finalize() }
        statements = statements.map { _ in nil }
    }

    private func prepared(
        _ command: Command, on core: ConnectionCore
    ) throws(LockstepError) -> PreparedStatement {
        if let statement = statements[command.rawValue] { return statement }
        let statement = try PreparedStatement.engines(command.sql, on: core)
        statements[command.rawValue] = statement
        return statement
    }
}
