internal import CSQLCipher

/// The statements that begin and end transactions, prepared once per connection.
@safe
final class TransactionControl {
    enum Command: Int, CaseIterable {
        /// Takes a snapshot at the first read.
        case beginDeferred
        /// Takes the write lock at once, so that no transaction fails half-way for lack of it.
        case beginImmediate
        case commit, rollBack
        case savepoint, release, rollBackToSavepoint
        /// Sets whether the connection can write at all.
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
    /// - Throws: ``LockstepError/Code/busy``; ``LockstepError/Code/interrupted`` if a wait for a lock was interrupted;
    ///   or another error that SQLite reports. Some errors have already
    ///   ended the transaction.
    func run(_ command: Command, on core: ConnectionCore) throws(LockstepError) {
        if command != .savepoint, command != .release { core.knowsSchema.isSet = false }
        let statement = try prepared(command, on: core)
        // SQLite can prepare the statement again, and then asks the authorizer again.
        let mode = core.authorizer.mode
        core.authorizer.mode = .engine
        defer { core.authorizer.mode = mode }
        // A program's progress handler must not interrupt the engine's statements.
        core.hooks?.isPaused = true
        defer { core.hooks?.isPaused = false }
        let begins = command == .beginDeferred || command == .beginImmediate
        if begins { core.lockWait.begin() }
        defer { if begins { core.lockWait.end() } }
        var code = SQLITE_INTERRUPT
        // An interrupt aimed at the closure can arrive here late, before the command has done anything.
        for _ in 0..<100 where code == SQLITE_INTERRUPT {
            code = unsafe sqlite3_step(statement.handle)
            unsafe sqlite3_reset(statement.handle)
        }
        guard code == SQLITE_DONE else {
            var error = core.error(code, sql: command.sql)
            if command == .commit, error.context.sqliteCode == SQLITE_CONSTRAINT | 3 << 8 {
                error = brokenKey(on: core) ?? error
            }
            throw begins ? core.lockWait.explained(error) : error
        }
        if begins { core.isDoomed = false }
    }

    /// The instructions of SQLite's virtual machine that a search for a broken key may take: about a second.
    private static let longestSearch: Int32 = 20_000_000

    /// The error of a commit that a deferred foreign key stops, with the first row that breaks one: SQLite names none.
    /// Nil if the search takes too long.
    private func brokenKey(on core: ConnectionCore) -> LockstepError? {
        guard let search = try? PreparedStatement.engines("PRAGMA main.foreign_key_check", on: core)
        else {
            return nil
        }
        defer { search.finalize() }
        unsafe sqlite3_progress_handler(core.database, Self.longestSearch, { _ in 1 }, nil)
        defer {
            unsafe sqlite3_progress_handler(core.database, 0, nil, nil)
            unsafe core.hooks?.install(on: core.database)
        }
        guard unsafe sqlite3_step(search.handle) == SQLITE_ROW,
            let child = unsafe sqlite3_column_text(search.handle, 0).map({
                unsafe String(cString: $0)
            }),
            let parent = unsafe sqlite3_column_text(search.handle, 2).map({
                unsafe String(cString: $0)
            })
        else { return nil }
        let hasNumber = unsafe sqlite3_column_type(search.handle, 1) == SQLITE_INTEGER
        let row = unsafe hasNumber ? "row \(sqlite3_column_int64(search.handle, 1))" : "a row"
        return LockstepError(
            .constraint,
            "FOREIGN KEY constraint failed at the commit: \(row) of \(child) refers to a row of \(parent) that does not exist",
            hint:
                "insert the row of \(parent), or delete the one of \(child), before the transaction ends",
            context: .init(table: child, sqliteCode: SQLITE_CONSTRAINT | 3 << 8))
    }

    /// Finalizes the statements, so that the connection can close.
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
