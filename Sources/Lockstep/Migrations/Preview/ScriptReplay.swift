/// Runs a script on a scratch database, without a ledger and without recording progress.
struct ScriptReplay {
    let script: MigrationScript
    let origin: ScriptOrigin
    var observe: (MigrationEvent) throws -> Void = { _ in }
    /// Called for each statement that has run, with the line where it begins.
    var inspect: ((_ sql: String, _ line: Int) -> Void)?

    /// - Parameter transaction: Runs its argument in a transaction.
    func run(
        _ connection: borrowing Connection,
        transaction: (() throws -> Void) throws -> Void
    ) throws {
        try MigrationTransaction.withForeignKeys(off: script.needsForeignKeysOff, connection) {
            guard script.takesDoubleQuotedTexts else {
                return try runSegments(connection, transaction)
            }
            try connection.takingDoubleQuotedTexts { try runSegments(connection, transaction) }
        }
    }

    private func runSegments(
        _ connection: borrowing Connection, _ transaction: (() throws -> Void) throws -> Void
    ) throws {
        for segment in try script.segments(origin) {
            switch segment {
            case .transaction(let part):
                var runner = ScriptRunner(script: part, origin: origin, observe: observe)
                runner.inspect = inspect
                try transaction { _ = try runner.run(connection) }
            case .backfill(let backfill):
                // Without rows, only a check whether the backfill can run remains.
                try transaction {
                    try backfill.check(origin, script.tablesAllowedToLoseRows, connection)
                }
                inspect?(backfill.sql, backfill.line)
            case .sealing(let sealing, let line):
                // Without rows, keys make no difference.
                try transaction {
                    do {
                        try connection.with(rights: .engine) {
                            try sealing.change.changeShape(connection)
                        }
                    } catch let error as LockstepError {
                        throw origin.located(error.adding(sealing.change.context), line: line)
                    }
                }
            case .bare(let sql, let line): try runBare(sql, line, connection, transaction)
            }
        }
    }

    private func runBare(
        _ sql: String, _ line: Int, _ connection: borrowing Connection,
        _ transaction: (() throws -> Void) throws -> Void
    ) throws {
        var position = 0
        while var bare = try BareStatements(sql, from: position, line: line, segment: 0, origin) {
            if bare.runsAlone {
                try bare.runAlone(connection)
            } else {
                try transaction { try bare.run(connection, observe) }
            }
            inspect?(bare.text, bare.line)
            position = bare.end
        }
    }
}
