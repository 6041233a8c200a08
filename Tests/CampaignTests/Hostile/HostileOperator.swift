import SystemPackage

@testable import EngineTestSupport

/// An attacker with the database's key: a connection of SQLCipher alone, which no authorizer restricts.
struct HostileOperator {
    private let database: RawDatabase

    init(_ path: FilePath) throws {
        database = try RawDatabase(path, key: HostileTemplate.keyspec, "synchronous = OFF", "writable_schema = ON")
    }

    /// Runs a schema's statements and returns the shapes that SQLite accepted; nothing remains of the rejected ones.
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
                // A failure can have ended the transaction.
                _ = try? database.run("ROLLBACK TO part; RELEASE part")
                // A schema that SQLite reports as malformed stays as it is: no statement runs any more.
                do { try readAgain() } catch is RawDatabase.Failure { return taken }
            }
        }
        if !schema.isSilent {
            do { try announce() } catch is RawDatabase.Failure { return taken }
        }
        return taken
    }

    /// Makes open connections read the schema again.
    private func announce() throws {
        guard let version = try database.run("PRAGMA schema_version").first else { return }
        try database.run("PRAGMA schema_version = \((Int(version) ?? 0) + 1)")
    }

    /// Makes SQLite parse the schema in the file: a malformed one stops every connection.
    private func readAgain() throws {
        try database.run("PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON")
        try database.run("SELECT count(*) FROM sqlite_schema")
    }
}
