/// The parts that all transactions of a migration share.
enum MigrationTransaction {
    /// Begins a transaction. Another runner can hold the lock for longer than a connection usually waits.
    /// - Parameters:
    ///   - origin: The script, for errors.
    ///   - observe: Receives ``MigrationEvent/waiting(file:)`` if another connection holds the lock.
    static func begin(
        _ origin: ScriptOrigin, _ timeout: Duration, _ connection: borrowing Connection,
        _ observe: (MigrationEvent) throws -> Void
    ) throws -> Transaction {
        do {
            return try connection.waiting(atMost: .zero) { try Transaction(.immediate, on: $0) }
        } catch let error as LockstepError {
            guard error.code == .busy else { throw origin.located(error) }
        }
        try observe(.waiting(file: origin.title))
        do {
            return try connection.waiting(atMost: timeout) { try Transaction(.immediate, on: $0) }
        } catch let error as LockstepError {
            let advice: LockstepError.Advice? = error.code == .interrupted ? .init(ScriptText.afterInterruption) : nil
            throw origin.located(error, advice: advice)
        }
    }

    /// Commits a transaction. If the commit fails, for example on a full disk, the error names the file.
    static func commit(
        _ origin: ScriptOrigin, _ transaction: consuming Transaction
    ) throws(LockstepError) {
        do { try transaction.commit() } catch { throw origin.located(error) }
    }

    /// Runs `body`, which writes the engine's own tables; its errors name the file.
    static func note<Result>(
        _ origin: ScriptOrigin, _ connection: borrowing Connection, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        do {
            return try connection.with(rights: .engine) { try body(connection) }
        } catch let error as LockstepError {
            throw origin.located(error)
        }
    }

    /// Runs `body` under the checks, then `record`, which writes the engine's own tables.
    /// - Parameters:
    ///   - report: Receives the errors that `allowances` permit, before `record` runs.
    ///   - missing: Receives what lacks a declaration, if `allowances` let the checks go on.
    ///   - shown: Receives what has happened to each table, if `allowances` ask for it.
    ///   - known: The knowledge of earlier checks; on return, the knowledge of this one.
    ///   - canRepeat: Whether `body` can run a second time after a rollback, so that an error names the statement that
    ///     is to blame. It is then called with true.
    ///   - part: The batch that `body` runs; nil for anything else.
    /// - Throws: ``LockstepError/Code/rowsLost``, ``LockstepError/Code/valuesLost``,
    ///   ``LockstepError/Code/foreignKeysBroken``, ``LockstepError/Code/schemaBroken``, and the errors of the closures.
    static func checked<Result>(
        _ origin: ScriptOrigin, _ allowances: Allowances, _ connection: borrowing Connection,
        _ known: inout GuardCache?, report: (LockstepError) throws -> Void = { _ in },
        missing: (LockstepError, Directive) throws -> Void = { _, _ in },
        shown: ([TableEffects]) throws -> Void = { _ in }, canRepeat: Bool = false, part: SchemaGuard.Part? = nil,
        _ body: (_ isAgain: Bool) throws -> Result,
        record: (Result) throws -> Void = { _ in }
    ) throws -> Result {
        let guarding = try GuardCache.current(known, allowances, connection, part: part)
        defer { guarding.stop() }
        connection.authorizer.tableChanges = TableChanges()
        let sealedNames = try SealedNames.known(connection)
        let guards = try sealedNames.isEmpty ? [] : SealedNames.guards(connection)
        let result = try body(false)
        guarding.noteDeleted()
        func follow() throws {
            try note(origin, connection) { connection in
                try SealedNames.restore(guards, connection)
                try SealedNames.follow(from: sealedNames, connection)
            }
        }
        try follow()
        let tolerated: [LockstepError]
        do {
            tolerated = try guarding.requireSound(allowances, connection.authorizer.tableChanges)
        } catch let error as LockstepError {
            if canRepeat, guarding.missing.last?.effect != nil {
                // Without the statement, the error still says what has happened.
                try? guarding.findBlame(connection) { _ = try body(true) }
                guarding.suspect = guarding.missing.last?.suspect ?? guarding.suspect
            }
            throw guarding.located(error, origin)
        }
        if canRepeat, guarding.missing.contains(where: { $0.effect != nil }) {
            try guarding.findBlame(connection) { _ = try body(true) }
            try follow()
        }
        guarding.stop()
        if guarding.progress.changesSchema {
            try note(origin, connection) { connection in try SealedNames.requireViews(connection) }
        }
        try requireCells(origin, connection, guarding.progress.sealedWrites)
        for one in guarding.missing {
            try missing(guarding.located(one.error, origin, by: one.suspect), one.directive)
        }
        for found in tolerated { try report(origin.located(found)) }
        if allowances.shows { try shown(guarding.shown) }
        try record(result)
        known = try GuardCache(guarding, connection)
        return result
    }

    /// Requires that sealed columns that were written still contain only cells.
    /// - Throws: ``LockstepError/Code/migrationFailed``.
    static func requireCells(
        _ origin: ScriptOrigin, _ connection: borrowing Connection, _ writes: SealedWrites
    ) throws {
        try note(origin, connection) { connection in
            try SealedContentCheck.requireCells(connection) { writes.include($0) }
        }
    }

    /// Runs `body` with foreign keys off if `isOff`, and restores the setting afterwards. SQLite ignores the
    /// pragma inside a transaction.
    static func withForeignKeys<Result>(
        off isOff: Bool, _ connection: borrowing Connection, _ body: () throws -> Result
    ) throws -> Result {
        let before = connection.core.enforcesForeignKeys
        if isOff, before { try setForeignKeys(false, connection) }
        return try running(body) { try setForeignKeys(before, connection) }
    }

    private static func setForeignKeys(_ on: Bool, _ connection: borrowing Connection) throws {
        guard connection.core.enforcesForeignKeys != on else { return }
        try connection.setPragma("foreign_keys", on ? "ON" : "OFF")
        guard connection.core.enforcesForeignKeys == on else {
            throw LockstepError(
                .misuse, "foreign keys cannot be switched inside a transaction", hint: "commit or roll back first")
        }
    }
}
