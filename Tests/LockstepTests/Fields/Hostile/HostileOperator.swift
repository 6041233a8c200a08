import SystemPackage

/// Somebody with the database's key: a connection of SQLCipher's alone, which no authorizer holds back.
struct HostileOperator {
    private let database: RawDatabase

    init(_ path: FilePath) throws {
        database = try RawDatabase(
            path, key: HostileTemplate.keyspec, "synchronous = OFF", "writable_schema = ON")
    }

    /// Does what a schema says, and gives the shapes that SQLite took; of those that it did not take nothing stays.
    func apply(_ schema: HostileSchema) throws -> [HostileShape] {
        var taken: [HostileShape] = []
        for part in schema.parts {
            try database.run("SAVEPOINT part")
            do {
                for statement in part.statements { try database.run(statement) }
                try readAgain()
                try database.run("RELEASE part")
                taken.append(part.shape)
            } catch is RawDatabase.Failure {
                // A failure may have ended the transaction.
                _ = try? database.run("ROLLBACK TO part; RELEASE part")
                // What SQLite calls malformed to everybody stays as it is: no statement runs any more.
                do { try readAgain() } catch is RawDatabase.Failure { return taken }
            }
        }
        if !schema.isSilent {
            do { try announce() } catch is RawDatabase.Failure { return taken }
        }
        return taken
    }

    /// Has open connections read the schema again.
    private func announce() throws {
        guard let version = try database.run("PRAGMA schema_version").first else { return }
        try database.run("PRAGMA schema_version = \((Int(version) ?? 0) + 1)")
    }

    /// Has SQLite parse the schema as the file has it now: one that it calls malformed stops everybody.
    private func readAgain() throws {
        try database.run("PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON")
        try database.run("SELECT count(*) FROM sqlite_schema")
    }
}
