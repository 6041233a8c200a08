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
        _ ledger: [LedgerEntry], _ sets: [MigrationSet], _ schema: ConnectionOptions,
        goOn: () -> Bool
    ) throws -> Connection {
        let connection = try Connection.inMemory(schema.ofSchema)
        let known = Dictionary(sets.map { ($0.name, $0) }) { first, _ in first }
        var files: [String: [MigrationVersion: MigrationFile]] = [:]
        for (name, set) in known {
            files[name] = Dictionary(set.files.map { ($0.version, $0) }) { first, _ in first }
        }
        for entry in ledger {
            guard let versions = files[entry.set] else {
                throw LockstepError(
                    .migrationMissing,
                    "the files of the set \(entry.set) are needed to build it afresh")
            }
            guard let file = versions[entry.version] else {
                throw LockstepError(
                    .migrationMissing, "the file of \(entry.set) \(entry.version) is gone")
            }
            try run(file.up, "\(entry.set)/\(file.fileName)", connection, goOn)
        }
        return connection
    }

    private static func run(
        _ script: MigrationScript, _ name: String, _ connection: borrowing Connection,
        _ goOn: () -> Bool
    ) throws {
        // SQLite ignores the pragma inside a transaction.
        if script.needsForeignKeysOff { try connection.setPragma("foreign_keys", "OFF") }
        let transaction = try Transaction(.immediate, on: connection)
        try withoutActuallyEscaping(goOn) { goOn in
            let runner = ScriptRunner(script: script, fileName: name) { _ in
                guard goOn() else {
                    throw LockstepError(.interrupted, "the fresh build was given up")
                }
            }
            _ = try runner.run(connection)
        }
        try transaction.commit()
        if script.needsForeignKeysOff { try connection.setPragma("foreign_keys", "ON") }
    }
}
