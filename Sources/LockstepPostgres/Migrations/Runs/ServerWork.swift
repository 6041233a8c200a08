internal import Lockstep

/// What the steps of a run on a server have in common.
struct ServerWork {
    let set: MigrationSet
    let ledger: ServerLedger
    /// The search path of the run, whatever its versions set.
    let path: String
    /// What the session had set when the run began.
    let state: SessionState
    /// How long a version waits for locks.
    let timeout: Duration
    /// Whether sealed columns get their shape alone.
    let isOfShape: Bool
    let observe: (ServerMigrator.Event) throws -> Void
    let progress: JobProgress.Handler

    /// What the server records. Only a copy itself migrates the schema that it goes to.
    func history(_ connection: borrowing ServerConnection) throws -> MigrationHistory {
        try ledger.history(connection, duringCopy: isOfShape)
    }

    /// The settings that a transaction of a version begins with.
    func settle(_ connection: borrowing ServerConnection) throws {
        try connection.execute(settings)
    }

    private var settings: ServerSQL {
        """
        SELECT pg_catalog.set_config('lock_timeout', '1s', true),
            pg_catalog.set_config('search_path', \(path), true),
            pg_catalog.set_config('standard_conforming_strings', 'on', true)
        """
    }

    /// Runs a script, or one statement of it, in the open transaction, and requires that no rows are lost but those
    /// that the script declares.
    /// - Parameters:
    ///   - one: The statement; nil for the whole script with its directives.
    ///   - before: Called with the line of each statement.
    /// - Returns: The losses that are declared.
    func runGuarded(
        _ script: ServerScript, one: ServerScript.Statement? = nil,
        _ connection: borrowing ServerConnection, before: (Int) throws -> Void
    ) throws -> [LockstepError] {
        let guardian = try ServerGuard(script, connection)
        let statements = one.map { [$0] } ?? script.statements
        let names = isOfShape ? nil : try ServerSealedNames(ledger.schema, statements, connection)
        let actions = ServerActions(script, ledger.schema, isOfShape: isOfShape)
        for (place, statement) in statements.enumerated() {
            if one == nil { try actions.run(before: place, connection) }
            try before(statement.line)
            try observe(.statement(line: statement.line))
            try run(statement, of: script, connection)
            guard connection.isInTransaction else {
                throw script.origin.malformed(
                    "the statement ended the version's transaction", line: statement.line,
                    hint: "a version and its record are one transaction: remove what ends it")
            }
        }
        if one == nil { try actions.run(before: statements.count, connection) }
        do {
            // Under the version's own settings, which can keep the server from counting.
            let losses = try guardian.requireKept(connection)
            try state.restore([settings], connection)
            try names?.follow(connection)
            return losses
        } catch let error as LockstepError {
            throw script.origin.located(error)
        }
    }

    /// Requires that each column that holds plaintext is named, once something is sealed or named.
    /// - Parameter later: The steps that follow, which can seal or name more.
    func requireNamed(
        _ script: ServerScript, _ later: ArraySlice<Plan.Step>,
        _ connection: borrowing ServerConnection
    ) throws {
        guard !isOfShape else { return }
        try ServerActions(script, ledger.schema, isOfShape: false)
            .requireNamed(later, in: set, connection)
    }

    func run(
        _ statement: ServerScript.Statement, of script: ServerScript,
        _ connection: borrowing ServerConnection
    ) throws(LockstepError) {
        do throws(LockstepError) {
            try connection.execute(ServerSQL(verbatim: statement.sql))
        } catch {
            throw Self.located(error, statement, script)
        }
    }

    private static func located(
        _ error: LockstepError, _ statement: ServerScript.Statement, _ script: ServerScript
    ) -> LockstepError {
        let kept: [LockstepError.Code] = [.busy, .full, .interrupted, .serverUnreachable, .readOnlyServer]
        guard !kept.contains(error.code) else { return error }
        var context = error.context
        let line = statement.line + (context.line ?? 1) - 1
        (context.file, context.line) = (nil, nil)
        let renamed = LockstepError(.migrationFailed, error.message, context: context)
        return script.origin.located(
            renamed, line: line, advice: advice(context.sqlState, script))
    }

    private static func advice(
        _ state: String?, _ script: ServerScript
    ) -> LockstepError.Advice {
        switch state {
        // A new value of an enumeration is used in the transaction that adds it.
        case "55P04", "25001":
            "declare `-- lockstep: no transaction`, so that each statement commits by itself"
        default:
            script.runsByItself
                ? "fix the statement; what ran before it stays, and the next run continues with it"
                : "fix the statement; no part of this version was applied"
        }
    }

    /// Records a step in the ledger, in the open transaction.
    func record(
        _ step: Plan.Step, after history: MigrationHistory, duration: Duration, _ connection: borrowing ServerConnection
    ) throws {
        switch step {
        case .up(let migration):
            if history.entries.isEmpty { try ledger.prepare(connection) }
            try ledger.record(migration, of: set.name, after: history, duration: duration.wholeMicroseconds, connection)
        case .down(let entry, _): try ledger.erase(entry, connection)
        case .abandon(let unfinished, _): try ledger.progress.erase(unfinished, connection)
        }
    }
}
