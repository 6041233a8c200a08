import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Version numbers that reveal changes")
struct HeaderNumberTests {
    @Test("The data version changes after commits of others, even within transactions")
    func data() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 1)
        let connection = try scratch.open()
        let start = try connection.core.dataVersion()
        try connection.execute("INSERT INTO item (body) VALUES (x'')")
        #expect(try connection.core.dataVersion() == start)
        try scratch.open().execute("DELETE FROM item")
        try connection.write { connection in
            let now = try connection.core.dataVersion()
            #expect(now != start)
            #expect(try connection.value("PRAGMA data_version") == now)
        }
    }

    @Test("The schema version counts own changes and those of others, but not undone ones") func schema() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 1)
        let connection = try scratch.open()
        func version() throws -> Int64 {
            let version = try connection.core.schemaVersion()
            #expect(try connection.value("PRAGMA schema_version") == version)
            return version
        }
        let start = try version()
        try connection.execute("CREATE INDEX by_body ON item (body)")
        #expect(try version() == start + 1)
        try scratch.open().execute("CREATE TABLE other (x)")
        #expect(try version() == start + 2)
        try? connection.write { connection in
            try connection.execute("DROP TABLE other")
            #expect(try version() == start + 3)
            throw LockstepError(.misuse, "no")
        }
        #expect(try version() == start + 2)
        try connection.execute("INSERT INTO item (body) VALUES (x'')")
        #expect(try version() == start + 2)
    }

    @Test("The engine's own queries leave the record of the tables in use intact")
    func uses() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 1)
        let connection = try scratch.open()
        let core = connection.core
        #expect(try core.ask("SELECT count(*) FROM item") { row in try row[0] as Int } == [1])
        #expect(core.refusal(of: "SELECT * FROM item") == nil)
        #expect(core.refusal(of: "SELECT * FROM none") != nil)
        #expect(!core.authorizer.ignoresUse)
        core.usedTables = []
        #expect(try connection.value("SELECT count(*) FROM item") == 1)
        #expect(core.usedTables == ["item"])
        core.usedTables = []
        _ = try core.ask("SELECT count(*) FROM item") { row in try row[0] as Int }
        #expect(core.usedTables == ["item"])
    }

    @Test("The record of whether foreign keys are enforced matches the pragma")
    func foreignKeys() throws {
        let connection = try Connection.inMemory()
        #expect(connection.core.enforcesForeignKeys)
        try connection.execute("PRAGMA foreign_keys = OFF")
        #expect(!connection.core.enforcesForeignKeys)
        #expect(try connection.value("PRAGMA foreign_keys") == false)
        try connection.write { connection in
            // This has no effect inside a transaction.
            try connection.execute("PRAGMA foreign_keys = ON")
            #expect(!connection.core.enforcesForeignKeys)
        }
    }
}
