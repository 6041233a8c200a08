/// A database in memory with the schema that a ledger's migrations make.
enum FreshBuild {
    /// Runs the way up of each version in the order of the ledger, since sets may build on each other.
    ///
    /// Without the ledger and without the guards of a migration: what runs here was applied already, and
    /// on a thousand versions they would cost a thousand times more.
    /// - Parameters:
    ///   - schema: What holds the functions and collations that the migrations need.
    ///   - goOn: Asked before each statement.
    /// - Throws: ``LockstepError/Code/migrationMissing`` where files are needed that were not given.
    static func run(
        _ history: MigrationHistory, _ sets: [MigrationSet], _ schema: ConnectionOptions,
        goOn: () -> Bool
    ) throws -> Connection {
        var options = schema.ofSchema
        // What a migration calls is known, and meets no row.
        options.addition = SealedFields([], hasViews: false)
        let connection = try Connection.inMemory(options)
        connection.authorizer.isReplay = true
        let known = Dictionary(sets.map { ($0.name, $0) }) { first, _ in first }
        var migrations: [String: [MigrationVersion: Migration]] = [:]
        for (name, set) in known {
            // A baseline may stand for the versions up to its own.
            let all = set.applicable(to: history.entries).migrations
            migrations[name] = Dictionary(all.map { ($0.version, $0) }) { first, _ in first }
        }
        for entry in history.entries {
            guard let versions = migrations[entry.set] else {
                throw LockstepError(
                    .migrationMissing,
                    "the files of the set \(entry.set) are needed to build it afresh")
            }
            switch versions[entry.version] {
            case .file(let file)?:
                try run(file.up, "\(entry.set)/\(file.fileName)", connection, goOn)
            case .code(let code)?: try run(code, connection)
            case nil:
                throw LockstepError(
                    .migrationMissing, "the file of \(entry.set) \(entry.version) is gone")
            }
        }
        for repeated in history.repeated {
            let file = known[repeated.set]?.repeatables.first { $0.name == repeated.name }
            guard let file else {
                throw LockstepError(
                    .migrationMissing,
                    "the file of the repeatable migration \(repeated.name) is gone")
            }
            try run(file.up, "\(repeated.set)/\(file.fileName)", connection, goOn)
        }
        return connection
    }

    private static func run(
        _ script: MigrationScript, _ name: String, _ connection: borrowing Connection,
        _ goOn: () -> Bool
    ) throws {
        try withoutActuallyEscaping(goOn) { goOn in
            var replay = ScriptReplay(script: script, title: name)
            replay.observe = { _ in
                guard goOn() else {
                    throw LockstepError(.interrupted, "the fresh build was given up")
                }
            }
            try replay.run(connection) { body in
                let transaction = try Transaction(.immediate, on: connection)
                try body()
                try transaction.commit()
            }
        }
    }

    private static func run(
        _ code: CodeMigration, _ connection: borrowing Connection
    ) throws {
        try MigrationTransaction.withForeignKeys(off: code.foreignKeysOff, connection) {
            let transaction = try Transaction(.immediate, on: connection)
            try connection.with(rights: .migration) { try code.up(connection) }
            try transaction.commit()
        }
    }
}
