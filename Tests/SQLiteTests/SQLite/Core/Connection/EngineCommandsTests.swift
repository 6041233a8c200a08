import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The engine's own statements keep its rights when SQLite has to prepare them again.
@Suite("Transactions after the schema or a flag has changed") struct EngineCommandsTests: NumberTable {
    let scratch: DatabaseScratch

    init() throws { scratch = try Self.makeScratch() }

    @Test(
        "Savepoints continue to work, and undo the right changes",
        arguments: [
            "ANALYZE", "CREATE INDEX i ON t (a)", "CREATE TEMP TABLE x (a)", "PRAGMA optimize", "CREATE TABLE y (a)",
        ])
    func savepoints(_ sql: String) throws {
        let connection = try open()
        try connection.write { connection in
            try connection.savepoint { try $0.execute("INSERT INTO t VALUES (1)") }
        }
        try connection.write { connection in
            #expect(throws: Stop.self) {
                try connection.savepoint { connection in
                    try connection.execute("INSERT INTO t VALUES (2)")
                    try connection.execute(SQL(verbatim: sql))
                    throw Stop()
                }
            }
            try connection.savepoint { try $0.execute("INSERT INTO t VALUES (3)") }
        }
        try connection.execute(SQL(verbatim: sql))
        try connection.write { connection in
            try connection.savepoint { try $0.execute("INSERT INTO t VALUES (4)") }
        }
        #expect(try values(connection) == [1, 3, 4])
    }

    @Test("A store in memory can write after reads, whatever their outcome")
    func inMemory() throws {
        let store = try Store.inMemory()
        try store.blocking.write { try $0.execute("CREATE TABLE t (a INTEGER UNIQUE)") }
        for number in 1...3 {
            #expect(throws: Stop.self) { try store.blocking.read { _ in throw Stop() } }
            try store.blocking.write { connection in
                try connection.savepoint { try $0.execute("INSERT INTO t VALUES (?)", number) }
            }
            #expect(try store.blocking.read { try $0.value("SELECT count(*) FROM t") } == number)
        }
    }

    @Test("A transaction that had to be rolled back entirely does not stop the next one") func doomed() throws {
        let connection = try open()
        for begin in [TransactionControl.Command.beginDeferred, .beginImmediate] {
            connection.core.isDoomed = true
            try connection.run(begin)
            let count: Int? = try connection.guarded { try $0.value("SELECT count(*) FROM t") }
            try connection.run(.commit)
            #expect(count == 0)
        }
    }

    @Test("After an error has ended its transaction, no later write of a closure takes effect alone")
    func endedTransaction() throws {
        let connection = try open()
        try connection.execute("INSERT INTO t VALUES (1)")
        Refusal.expect(.misuse) {
            try connection.write { connection in
                try? connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
                try connection.savepoint { try $0.execute("INSERT INTO t VALUES (2)") }
            }
        }
        Refusal.expect(.misuse) {
            try connection.write { connection in
                try? connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
                try connection.write { try $0.execute("INSERT INTO t VALUES (3)") }
            }
        }
        #expect(try values(connection) == [1])
    }
}
