/// What every transaction of a migration has in common.
enum MigrationTransaction {
    /// Begins one. Another runner may be at work for longer than a connection usually waits.
    /// - Parameter title: How errors call the file.
    static func begin(
        _ title: String, _ timeout: Duration, _ connection: borrowing Connection
    ) throws -> Transaction {
        let seconds = min(max(timeout.components.seconds, 0), 1_000_000_000)
        let deadline = Clock.monotonicMicroseconds + seconds * 1_000_000
        while true {
            do {
                return try Transaction(.immediate, on: connection)
            } catch let error as LockstepError {
                guard error.code == .busy, Clock.monotonicMicroseconds < deadline else {
                    throw error.located(title)
                }
            }
        }
    }

    /// Commits one. Where that fails, as on a full disk, the error names the file, as any other does.
    static func commit(
        _ title: String, _ transaction: consuming Transaction
    ) throws(LockstepError) {
        do { try transaction.commit() } catch { throw error.located(title) }
    }

    /// Runs `body`, which writes what the engine keeps for itself; its errors name the file.
    static func note<Result>(
        _ title: String, _ connection: borrowing Connection,
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        do {
            return try connection.with(rights: .engine) { try body(connection) }
        } catch let error as LockstepError {
            throw error.located(title)
        }
    }

    /// Runs `body` under the checks, then `record`, which writes what the engine keeps for itself.
    /// - Parameters:
    ///   - tell: Told what the checks found and `allowances` allow, before `record`.
    ///   - known: What earlier checks know; what this one does, afterwards.
    /// - Throws: ``LockstepError/Code/rowsLost``, ``LockstepError/Code/foreignKeysBroken``,
    ///   ``LockstepError/Code/schemaBroken``, and what the closures throw.
    static func checked<Result>(
        _ title: String, _ allowances: Allowances, _ connection: borrowing Connection,
        _ known: inout GuardCache?, tell: (LockstepError) throws -> Void = { _ in },
        _ body: () throws -> Result,
        record: (Result) throws -> Void = { _ in }
    ) throws -> Result {
        let guarding = try GuardCache.current(known, connection)
        defer { guarding.stop() }
        connection.authorizer.tableChanges = TableChanges()
        let sealedNames = try SealedNames.known(connection)
        let result = try body()
        try note(title, connection) { connection in
            try SealedNames.follow(from: sealedNames, connection)
        }
        let tolerated: [LockstepError]
        do {
            tolerated = try guarding.requireSound(allowances, connection.authorizer.tableChanges)
        } catch let error as LockstepError {
            throw guarding.located(error, title)
        }
        guarding.stop()
        for found in tolerated { try tell(found.located(title)) }
        try record(result)
        known = try GuardCache(guarding, connection)
        return result
    }

    /// Runs `body` with foreign keys off if `isOff`, and leaves them as they were: SQLite ignores the pragma
    /// inside a transaction.
    static func withForeignKeys<Result>(
        off isOff: Bool, _ connection: borrowing Connection, _ body: () throws -> Result
    ) throws -> Result {
        let before = connection.core.enforcesForeignKeys
        if isOff, before { try setForeignKeys(false, connection) }
        do {
            let result = try body()
            try setForeignKeys(before, connection)
            return result
        } catch {
            try setForeignKeys(before, connection)
            throw error
        }
    }

    private static func setForeignKeys(_ on: Bool, _ connection: borrowing Connection) throws {
        guard connection.core.enforcesForeignKeys != on else { return }
        try connection.setPragma("foreign_keys", on ? "ON" : "OFF")
        guard connection.core.enforcesForeignKeys == on else {
            throw LockstepError(
                .misuse, "foreign keys cannot be switched inside a transaction",
                hint: "commit or roll back first")
        }
    }
}
