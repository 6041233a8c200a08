/// A database in memory with the schema that a ledger's migrations make.
package enum ReferenceSchema {
    /// Runs the way up of each version in the order of the ledger, since sets can build on each other.
    ///
    /// Does so without the ledger and the guards of a migration: every version here was applied before, and on
    /// a thousand versions they would cost a thousand times more.
    /// - Parameters:
    ///   - schema: Supplies the functions and collations that the migrations need.
    ///   - shouldContinue: Called before each statement.
    /// - Throws: ``LockstepError/Code/migrationMissing`` if required files were not given.
    package static func build(
        _ history: MigrationHistory, _ sets: [MigrationSet], _ schema: ConnectionOptions, shouldContinue: () -> Bool
    ) throws -> Connection {
        var options = schema.ofSchema
        // Defines the functions that a migration can call. They meet no rows here.
        options.addition = SealedFields([], hasViews: false)
        let connection = try StandIns.adding(to: options) { options in
            let connection = try Connection.inMemory(options)
            try replay(history, sets, on: connection, shouldContinue: shouldContinue)
            return connection
        }
        connection.authorizer.isReplay = true
        return connection
    }

    /// Makes the schema in an empty database, without a ledger and without a registry of sealed columns.
    /// - Throws: as ``build(_:_:_:shouldContinue:)``.
    package static func replay(
        _ history: MigrationHistory, _ sets: [MigrationSet], on connection: borrowing Connection,
        shouldContinue: () -> Bool = { true }
    ) throws {
        connection.authorizer.isReplay = true
        defer { connection.authorizer.isReplay = false }
        let known = Dictionary(sets.map { ($0.name, $0) }) { first, _ in first }
        var migrations: [String: [MigrationVersion: Migration]] = [:]  // exact: names of sets
        for (name, set) in known {
            // A baseline can stand for the versions up to its own.
            let all = set.applicable(to: history.entries).migrations
            migrations[name] = Dictionary(all.map { ($0.version, $0) }) { first, _ in first }
        }
        for entry in history.entries {
            guard let versions = migrations[entry.set] else {
                throw LockstepError(
                    .migrationMissing, "the files of the set \(entry.set) are needed for the fresh build",
                    context: .init(set: entry.set))
            }
            switch versions[entry.version] {
            case .file(let file)?: try run(file, of: entry.set, connection, shouldContinue)
            case .code(let code)?: try run(code, connection)
            case nil:
                throw LockstepError(
                    .migrationMissing, "the file of \(entry.set) \(entry.version) is gone",
                    context: .init(set: entry.set, entry.version))
            }
        }
        for repeated in history.repeated {
            let file = known[repeated.set]?.repeatables.first {
                $0.name.hasSameBytes(as: repeated.name)
            }
            guard let file else {
                throw LockstepError(
                    .migrationMissing, "the file of the repeatable migration \(repeated.name) is gone",
                    context: .init(set: repeated.set))
            }
            try run(file, of: repeated.set, connection, shouldContinue)
        }
    }

    private static func run(
        _ file: MigrationFile, of set: String, _ connection: borrowing Connection, _ shouldContinue: () -> Bool
    ) throws {
        try withoutActuallyEscaping(shouldContinue) { shouldContinue in
            let origin = Migration.file(file).origin(in: set)
            var replay = ScriptReplay(script: file.up, origin: origin)
            replay.observe = { _ in
                guard shouldContinue() else {
                    throw LockstepError(.interrupted, "the fresh build was stopped")
                }
            }
            try replay.run(connection) { body in
                let transaction = try Transaction(.immediate, on: connection)
                try body(false)
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

extension UnfinishedMigration {
    /// What has run of the version in the schema: its differences from a fresh build of the applied versions. Objects
    /// that other programs made are among them. Changes of rows are not.
    /// - Parameters:
    ///   - connection: A connection to the database.
    ///   - sets: The sets of all applied versions; the version's own file is not needed.
    ///   - schema: Supplies the functions and collations that the migrations need.
    /// - Throws: ``LockstepError/Code/migrationMissing`` if a file of an applied version is missing; the error of a
    ///   migration that does not run on an empty database.
    public func remains(
        on connection: borrowing Connection, sets: [MigrationSet],
        schema: ConnectionOptions = .init()
    ) throws -> [SchemaSnapshot.Difference] {
        try DriftCheck.differences(
            of: SchemaSnapshot(connection), on: connection, sets, schema)
    }
}
