/// Runs a repeatable migration, which runs whenever it has changed.
struct RepeatableRun {
    let set: String
    let file: MigrationFile
    let timeout: Duration
    let observe: (MigrationEvent) throws -> Void

    /// - Returns: Nil if another runner has already run it.
    func run(
        _ connection: borrowing Connection, _ known: inout GuardCache?
    ) throws -> MigrationReport.Repeated? {
        guard file.up.isOneTransaction else {
            throw LockstepError(
                .migrationMalformed,
                "\(set)/\(file.fileName): a repeatable migration must be one transaction",
                hint: "move backfills, and statements that cannot run in a transaction, "
                    + "into a version")
        }
        return try MigrationTransaction.withForeignKeys(
            off: file.up.needsForeignKeysOff, connection
        ) {
            let title = "\(set)/\(file.fileName)"
            let transaction = try MigrationTransaction.begin(title, timeout, connection)
            guard try !hasRun(connection) else { return nil }
            let start = Clock.monotonicMicroseconds
            try observe(.repeating(set: set, name: file.name))
            let statements = try MigrationTransaction.checked(
                title, file.up.allowances(nil, isUp: true), connection, &known,
                report: { try observe(.tolerated($0)) }
            ) {
                try ScriptRunner(script: file.up, fileName: title, observe: observe).run(connection)
            } record: { _ in
                let duration = Clock.monotonicMicroseconds - start
                try MigrationTransaction.note(title, connection) { connection in
                    try RepeatableLedger.record(file, of: set, duration: duration, connection)
                }
            }
            try MigrationTransaction.commit(title, transaction)
            try observe(.repeated(set: set, name: file.name))
            return MigrationReport.Repeated(
                set: set, name: file.name, statements: statements,
                duration: Clock.time(since: start))
        }
    }

    private func hasRun(_ connection: borrowing Connection) throws -> Bool {
        try RepeatableLedger.all(connection).contains {
            $0.set == set && $0.name == file.name && $0.checksums.tokens == file.checksums.tokens
        }
    }
}
