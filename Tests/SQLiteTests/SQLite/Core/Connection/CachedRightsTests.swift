import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Cached statements and the right to run them")
struct CachedRightsTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 3)
    }

    @Test(
        "A statement that the engine can run is then refused to the program, and vice versa",
        arguments: [
            "PRAGMA application_id = 7", "DELETE FROM lockstep_private", "PRAGMA cipher_version",
            "PRAGMA query_only = OFF",
        ])
    func engine(_ sql: String) throws {
        let connection = try scratch.open()
        try connection.with(rights: .engine) {
            try connection.execute("CREATE TABLE lockstep_private (a)")
        }
        for _ in 0..<2 {
            try connection.with(rights: .engine) { try connection.execute(SQL(verbatim: sql)) }
            Refusal.expect(.denied) { try connection.execute(SQL(verbatim: sql)) }
        }
    }

    @Test("A statement that the engine holds does not enter the cache when released") func heldByEngine() throws {
        let connection = try scratch.open()
        let sql: SQL = "PRAGMA user_version = 3"
        let held = try connection.with(rights: .engine) { try connection.prepare(sql) }
        try held.run()
        let prepared = held.prepared
        _ = consume held
        Refusal.expect(.denied) { try connection.execute(sql) }
        let mine = try connection.prepare("SELECT 1")
        #expect(mine.prepared !== prepared)
    }

    @Test("The engine and migrations use no statement that the program has prepared") func programs() throws {
        let connection = try scratch.open()
        let sql: SQL = "SELECT count(*) FROM item"
        let program = try connection.prepare(sql).prepared
        for mode in [Authorizer.Mode.engine, .migration] {
            let theirs = try connection.with(rights: mode) { try connection.prepare(sql).prepared }
            #expect(theirs !== program)
        }
        #expect(try connection.prepare(sql).prepared === program)
    }

    @Test("A transaction statement in the program's cache is refused to a migration") func migration() throws {
        let connection = try scratch.open()
        try connection.execute("BEGIN")
        try connection.execute("COMMIT")
        try connection.write { connection in
            connection.with(rights: .migration) {
                Refusal.expect(.denied) { try connection.execute("COMMIT") }
            }
            #expect(connection.isInTransaction == true)
        }
    }

    @Test("A denied statement is denied again, each time with its reason")
    func denied() throws {
        let connection = try scratch.open()
        let allowed = try connection.prepare("SELECT 1").prepared
        for sql in ["PRAGMA rekey = 'x'", "ATTACH '' AS other", "VACUUM"] as [SQL] {
            let errors = try (0..<3).map { _ in
                try #require(throws: LockstepError.self) { try connection.execute(sql) }
            }
            #expect(errors.allSatisfy { $0.code == .denied && $0 == errors[0] })
            #expect(errors[0].hint != nil)
        }
        #expect(try connection.prepare("SELECT 1").prepared === allowed)
    }

    @Test("VACUUM by the engine works after the program was refused it, and stays refused to it") func vacuum() throws {
        let connection = try scratch.open()
        Refusal.expect(.denied) { try connection.execute("VACUUM") }
        try connection.vacuum()
        Refusal.expect(.denied) { try connection.execute("VACUUM") }
        #expect(try scratch.count(connection) == 3)
    }

    @Test(
        "A statement that ends transactions, cached outside one, is refused inside one",
        arguments: ["COMMIT", "END", "ROLLBACK"])
    func transactions(_ sql: String) throws {
        let connection = try scratch.open()
        try connection.execute("BEGIN")
        try connection.execute(SQL(verbatim: sql))
        let held = try connection.prepare(SQL(verbatim: sql))
        // In use and cached: two of them.
        try connection.execute("BEGIN")
        try connection.execute(SQL(verbatim: sql))
        try connection.write { connection in
            try connection.execute("DELETE FROM item")
            Refusal.expect(.denied) { try connection.execute(SQL(verbatim: sql)) }
            Refusal.expect(.denied) { try held.run() }
            #expect(connection.isInTransaction == true)
        }
        #expect(try scratch.count(connection) == 0)
        // Outside it still works.
        try connection.execute("BEGIN")
        try held.run()
        #expect(connection.isInTransaction == false)
    }

    @Test("BEGIN, cached outside a transaction, is also refused inside one")
    func begin() throws {
        let connection = try scratch.open()
        try connection.execute("BEGIN IMMEDIATE")
        try connection.execute("ROLLBACK")
        try connection.write { connection in
            Refusal.expect(.denied) { try connection.execute("BEGIN IMMEDIATE") }
        }
    }

    @Test("A write that throws leaves nothing, even if it releases a savepoint from outside") func savepoint() throws {
        let connection = try scratch.open()
        try connection.execute("SAVEPOINT mine")
        #expect(throws: Stop.self) {
            try connection.write { connection in
                try connection.execute("DELETE FROM item")
                try? connection.execute("RELEASE mine")
                throw Stop()
            }
        }
        #expect(try scratch.count(connection) == 3)
    }
}
