import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Statements that outlive their connection")
struct StatementLifetimeTests {
    private func orphan(_ sql: String, _ scratch: DatabaseScratch) throws -> Statement {
        let connection = try scratch.open()
        return try connection.prepare(SQL(verbatim: sql))
    }

    @Test("They still run, and the database closes with them")
    func running() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 10)
        do {
            let statement = try orphan("SELECT count(*) FROM item WHERE id <= ?", scratch)
            #expect(try statement.first(4) { row in try row[0] as Int } == 4)
            let insert = try orphan("INSERT INTO item (body) VALUES (?)", scratch)
            try insert.run([UInt8]())
            #expect(try statement.first(100) { row in try row[0] as Int } == 11)
        }
        #expect(try scratch.names == ["data.db"])
    }

    @Test("Their errors are errors")
    func failing() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 10)
        let insert = try orphan("INSERT INTO item (id, body) VALUES (1, x'')", scratch)
        let error = try #require(throws: LockstepError.self) { try insert.run() }
        #expect(error.code == .constraint)
        #expect(throws: LockstepError.self) { try insert.run(5) }
    }

    @Test("When the schema has changed in the meantime they fail, and do not crash") func changedSchema() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 10)
        let statement = try orphan("SELECT * FROM item", scratch)
        #expect(try statement.map { row in row.count }.count == 10)
        try scratch.open().execute("ALTER TABLE item ADD COLUMN extra DEFAULT 5")
        // SQLite would have to prepare it again, which it does not do on a closed connection.
        let error = try #require(throws: LockstepError.self) { try statement.run() }
        #expect(error.code == .misuse)
    }

    @Test("They keep the authorizer's context alive")
    func authorizer() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 10)
        weak var authorizer: Authorizer?
        func prepare() throws -> Statement {
            let connection = try scratch.open()
            authorizer = connection.authorizer
            return try connection.prepare("SELECT * FROM item")
        }
        let statement = try prepare()
        #expect(authorizer != nil)
        #expect(statement.columnNames == ["id", "body"])
    }
}
