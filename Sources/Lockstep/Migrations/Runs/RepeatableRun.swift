/// Runs a repeatable migration, which runs whenever it has changed.
struct RepeatableRun {
    let set: String
    let file: MigrationFile
    let timeout: Duration
    let observe: (MigrationEvent) throws -> Void

    private var origin: ScriptOrigin { Migration.file(file).origin(in: set) }

    /// - Returns: Nil if another runner has already run it.
    func run(
        _ connection: borrowing Connection, _ known: inout GuardCache?
    ) throws -> MigrationReport.Repeated? {
        guard file.up.isOneTransaction else {
            throw LockstepError(
                .migrationMalformed, "\(origin.title): a repeatable migration must be one transaction",
                hint: "move backfills, and statements that cannot run in a transaction, "
                    + "into a version", context: origin.context)
        }
        return try MigrationTransaction.withForeignKeys(off: file.up.needsForeignKeysOff, connection) {
            let time = WorkTime(connection)
            let transaction = try MigrationTransaction.begin(origin, timeout, connection, observe)
            guard try !hasRun(connection) else { return nil }
            try observe(.repeating(set: set, name: file.name))
            let statements = try MigrationTransaction.checked(
                origin, file.up.allowances(nil, isUp: true), connection, &known,
                report: { try observe(.tolerated($0)) },
                canRepeat: true
            ) { isAgain in
                try ScriptRunner(script: file.up, origin: origin, observe: isAgain ? { _ in } : observe).run(connection)
            } record: { _ in
                let duration = time.worked(connection).wholeMicroseconds
                try MigrationTransaction.note(origin, connection) { connection in
                    try LedgerRows.note(file, of: set, duration: duration, connection)
                }
            }
            try MigrationTransaction.commit(origin, transaction)
            try observe(.repeated(set: set, name: file.name))
            return MigrationReport.Repeated(
                set: set, name: file.name, statements: statements,
                duration: time.worked(connection), waited: time.waited(connection))
        }
    }

    private func hasRun(_ connection: borrowing Connection) throws -> Bool {
        try LedgerRows.repeated(connection).contains {
            $0.set == set && $0.name.hasSameBytes(as: file.name) && $0.checksums.tokens == file.checksums.tokens
        }
    }
}
