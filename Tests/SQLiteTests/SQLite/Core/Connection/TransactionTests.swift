import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Transactions")
struct TransactionTests: NumberTable {
    let scratch: DatabaseScratch

    init() throws { scratch = try Self.makeScratch() }

    // MARK: Writing

    @Test("A write is committed and returns its result; others see it only then")
    func commit() throws {
        let writer = try open()
        let other = try open()
        let result = try writer.write { connection in
            try connection.execute("INSERT INTO t VALUES (1), (2)")
            #expect(connection.isInTransaction == true)
            #expect(try values(other) == [])
            return connection.changes
        }
        #expect(result == 2)
        #expect(writer.isInTransaction == false)
        #expect(try values(other) == [1, 2])
    }

    @Test("A write that throws leaves nothing, tables included, and rethrows the error") func rollback() throws {
        let writer = try open()
        #expect(throws: Stop.self) {
            try writer.write { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("CREATE TABLE u (a)")
                throw Stop()
            }
        }
        #expect(writer.isInTransaction == false)
        #expect(try values(writer) == [])
        #expect(throws: LockstepError.self) { try writer.execute("SELECT * FROM u") }
        try writer.write { try $0.execute("INSERT INTO t VALUES (5)") }
        #expect(try values(open()) == [5])
    }

    @Test("A write holds the write lock from its start")
    func immediate() throws {
        let writer = try open()
        let other = try open()
        try writer.write { _ in
            let error = try #require(throws: LockstepError.self) { try other.write { _ in } }
            #expect(error.code == .busy)
        }
        try other.write { try $0.execute("INSERT INTO t VALUES (1)") }
    }

    @Test("A nested write that throws rolls back alone")
    func nested() throws {
        let writer = try open()
        try writer.write { connection in
            try connection.execute("INSERT INTO t VALUES (1)")
            try connection.write { try $0.execute("INSERT INTO t VALUES (2)") }
            #expect(throws: Stop.self) {
                try connection.write { connection in
                    try connection.execute("INSERT INTO t VALUES (3)")
                    try connection.write { try $0.execute("INSERT INTO t VALUES (4)") }
                    throw Stop()
                }
            }
            #expect(try values(connection) == [1, 2])
            try connection.execute("INSERT INTO t VALUES (3)")
        }
        #expect(try values(open()) == [1, 2, 3])
    }

    @Test("A nested write is undone together with the enclosing one")
    func nestedInRollback() throws {
        let writer = try open()
        #expect(throws: Stop.self) {
            try writer.write { connection in
                try connection.write { try $0.execute("INSERT INTO t VALUES (1)") }
                throw Stop()
            }
        }
        #expect(try values(writer) == [])
    }

    @Test("Twenty levels deep, each level undoes its own changes")
    func deep() throws {
        let writer = try open()
        func descend(_ level: Int, _ connection: borrowing Connection) throws {
            guard level < 20 else { return }
            try connection.execute("INSERT INTO t VALUES (?)", level)
            try? connection.write { connection in
                try descend(level + 1, connection)
                if level.isMultiple(of: 3) { throw Stop() }
            }
        }
        try writer.write { try descend(0, $0) }
        // The level below the outermost one is undone with everything in it.
        #expect(try values(writer) == [0])
        try writer.write { try descend(1, $0) }
        #expect(try values(writer) == [0, 1, 2, 3])
    }

    @Test("A savepoint outside a transaction is a transaction of its own")
    func savepointAlone() throws {
        let writer = try open()
        try writer.savepoint { try $0.execute("INSERT INTO t VALUES (1)") }
        #expect(throws: Stop.self) {
            try writer.savepoint { connection in
                try connection.execute("INSERT INTO t VALUES (2)")
                throw Stop()
            }
        }
        #expect(writer.isInTransaction == false)
        #expect(try values(open()) == [1])
    }

    @Test("A failed statement that is caught leaves the transaction intact")
    func caughtFailure() throws {
        let writer = try open()
        try writer.write { connection in
            try connection.execute("INSERT INTO t VALUES (1)")
            let error = try #require(throws: LockstepError.self) {
                try connection.execute("INSERT INTO t VALUES (2), (1)")
            }
            #expect(error.code == .constraint)
            try connection.execute("INSERT INTO t VALUES (3)")
        }
        #expect(try values(writer) == [1, 3])
    }

    // MARK: Reading

    @Test("A read sees one snapshot, whatever others commit meanwhile")
    func snapshot() throws {
        let reader = try open()
        let writer = try open()
        try writer.execute("INSERT INTO t VALUES (1)")
        try reader.read { connection in
            #expect(try values(connection) == [1])
            try writer.write { try $0.execute("INSERT INTO t VALUES (2)") }
            #expect(try values(connection) == [1])
            #expect(try connection.read { try values($0) } == [1])
        }
        #expect(try values(reader) == [1, 2])
    }

    @Test("A read that throws ends its snapshot")
    func throwingRead() throws {
        let reader = try open()
        let writer = try open()
        #expect(throws: Stop.self) {
            try reader.read { connection in
                _ = try values(connection)
                throw Stop()
            }
        }
        #expect(reader.isInTransaction == false)
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(try values(reader) == [1])
        #expect(try writer.value("PRAGMA wal_checkpoint(TRUNCATE)", as: Int.self) == 0)
    }

    @Test("A read inside a write sees the write's changes")
    func readInWrite() throws {
        let writer = try open()
        try writer.write { connection in
            try connection.execute("INSERT INTO t VALUES (1)")
            #expect(try connection.read { try values($0) } == [1])
        }
    }

    @Test("A result can be a noncopyable value")
    func noncopyableResults() throws {
        let writer = try open()
        let statement = try writer.read { try $0.prepare("SELECT 4") }
        #expect(try statement.first { row in try row[0] as Int } == 4)
    }
}
