import CSQLCipher
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Transactions that end other than by their closure's return.
@Suite("Transactions that end early")
struct TransactionEndTests: NumberTable {
    let scratch: DatabaseScratch

    init() throws { scratch = try Self.makeScratch() }

    private static let rollingBack = "INSERT OR ROLLBACK INTO t VALUES (1)"

    @Test("An error that ends the transaction is thrown, and no changes remain") func automaticRollback() throws {
        let writer = try open()
        let error = try #require(throws: LockstepError.self) {
            try writer.write { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute(SQL(verbatim: Self.rollingBack))
            }
        }
        #expect(error.code == .constraint)
        #expect(writer.isInTransaction == false)
        #expect(try values(writer) == [])
    }

    @Test("The same within a nested write")
    func automaticRollbackNested() throws {
        let writer = try open()
        let error = try #require(throws: LockstepError.self) {
            try writer.write { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.write { try $0.execute(SQL(verbatim: Self.rollingBack)) }
            }
        }
        #expect(error.code == .constraint)
        #expect(try values(writer) == [])
    }

    @Test("Later statements in a write whose transaction has ended leave nothing either")
    func goingOnAfterAutomaticRollback() throws {
        let writer = try open()
        #expect(throws: LockstepError.self) {
            try writer.write { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                try? connection.write { try $0.execute(SQL(verbatim: Self.rollingBack)) }
                try connection.execute("INSERT INTO t VALUES (2)")
            }
        }
        #expect(try values(writer) == [])
    }

    @Test("Changes that a savepoint could not undo are not committed, even if its error is ignored")
    func savepointThatCannotBeUndone() throws {
        let writer = try open()
        try writer.execute("INSERT INTO t VALUES (1)")
        Refusal.expect(.misuse) {
            try writer.write { connection in
                try connection.execute("INSERT INTO t VALUES (2)")
                // While a statement runs, an interruption stops all that follow, including the rollback.
                try? connection.prepare("SELECT a FROM t").forEach { _ in
                    try? connection.savepoint { connection in
                        try connection.execute("INSERT INTO t VALUES (3)")
                        sqlite3_interrupt(connection.handle)
                        _ = try connection.value("SELECT count(*) FROM t", as: Int.self)
                    }
                }
            }
        }
        #expect(writer.isInTransaction == false)
        #expect(try values(writer) == [1])
        try writer.write { try $0.execute("INSERT INTO t VALUES (4)") }
        #expect(try values(writer) == [1, 4])
    }

    @Test("SQL cannot end the transaction of a write", arguments: ["COMMIT", "ROLLBACK", "END"])
    func endingBySQL(_ sql: String) throws {
        let writer = try open()
        #expect(throws: LockstepError.self) {
            try writer.write { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute(SQL(verbatim: sql))
                try connection.execute("INSERT INTO t VALUES (2)")
            }
        }
        #expect(try values(writer) == [])
    }

    @Test("Neither can a statement that was prepared beforehand", arguments: ["COMMIT", "ROLLBACK"])
    func endingByPreparedStatement(_ sql: String) throws {
        let writer = try open()
        let end = try writer.prepare(SQL(verbatim: sql))
        #expect(throws: LockstepError.self) {
            try writer.write { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                try end.run()
                try connection.execute("INSERT INTO t VALUES (2)")
            }
        }
        #expect(try values(writer) == [])
    }

    @Test("Outside such closures, SQL can begin and end transactions freely") func transactionsBySQL() throws {
        let writer = try open()
        try writer.execute("BEGIN IMMEDIATE")
        try writer.execute("INSERT INTO t VALUES (1)")
        try writer.write { try $0.execute("INSERT INTO t VALUES (2)") }
        #expect(try values(open()) == [])
        try writer.execute("COMMIT")
        #expect(try values(open()) == [1, 2])
        try writer.execute("BEGIN")
        try writer.execute("DELETE FROM t")
        try writer.execute("ROLLBACK")
        #expect(try values(writer) == [1, 2])
    }

    // MARK: When the commit fails

    @Test("A commit that fails for a deferred constraint rolls back")
    func failingCommit() throws {
        let writer = try open()
        try writer.execute(
            "CREATE TABLE child (a REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED)")
        let error = try #require(throws: LockstepError.self) {
            try writer.write { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("INSERT INTO child VALUES (9)")
            }
        }
        #expect(error.code == .constraint)
        #expect(writer.isInTransaction == false)
        #expect(try values(writer) == [])
    }

    // In WAL mode a commit never waits for readers; with a rollback journal it does.
    @Test("A commit that is busy rolls back, and can be retried later")
    func busyCommit() throws {
        var reading = ConnectionOptions()
        reading.isQueryOnly = true
        let writer = try open()
        let mode = try writer.with(rights: .engine) {
            try writer.value("PRAGMA journal_mode = DELETE", as: String.self)
        }
        try #require(mode == "delete")
        let reader = try scratch.open(reading)
        try reader.read { reader in
            #expect(try values(reader) == [])
            let error = try #require(throws: LockstepError.self) {
                try writer.write { try $0.execute("INSERT INTO t VALUES (1)") }
            }
            #expect(error.code == .busy)
            #expect(writer.isInTransaction == false)
        }
        #expect(try values(writer) == [])
        try writer.write { try $0.execute("INSERT INTO t VALUES (2)") }
        #expect(try values(reader) == [2])
    }

    @Test(
        "SQL cannot end a savepoint of the engine",
        arguments: [
            "RELEASE lockstep_savepoint", "ROLLBACK TO Lockstep_Savepoint",
            "SAVEPOINT lockstep_savepoint",
        ])
    func endingASavepoint(_ sql: String) throws {
        let writer = try open()
        try writer.write { connection in
            try connection.savepoint { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                Refusal.expect(.denied) { try connection.execute(SQL(verbatim: sql)) }
            }
        }
        #expect(try values(writer) == [1])
    }
}
