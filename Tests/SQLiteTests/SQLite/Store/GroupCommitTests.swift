import Synchronization
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Waiting writes share a transaction, yet each succeeds or fails alone.
@Suite("Group commit", .timeLimit(.minutes(20)))
struct GroupCommitTests: NumberStore {
    let scratch: DatabaseScratch

    init() throws { scratch = try Self.makeScratch() }

    @Test("Waiting writes share transactions")
    func sharing() async throws {
        let log = StatementLog()
        let store = try openStore { $0.connection.trace = log.note }
        let results = try await store.writeTogether((0..<64).map(insert))
        #expect(results.allSatisfy { $0.isSuccess })
        #expect(try committed() == Array(0..<64))
        // One transaction, unless the machine is so slow that a group's time limit passes.
        #expect(log.count(of: "BEGIN IMMEDIATE") <= 32)
        #expect(log.count(of: "BEGIN IMMEDIATE") == log.count(of: "COMMIT"))
    }

    @Test("A thousand waiting writes are all done, each once, in order")
    func thousand() async throws {
        try prepareTable("CREATE TABLE arrival (place INTEGER PRIMARY KEY, number INTEGER)")
        let store = try openStore()
        let parts = (0..<1000).map { number -> Part<Void> in
            { try $0.execute("INSERT INTO arrival (number) VALUES (?)", number) }
        }
        #expect(try await store.writeTogether(parts).allSatisfy { $0.isSuccess })
        let arrivals: [Int] = try store.readHere { connection in
            try connection.query("SELECT number FROM arrival ORDER BY place") { try $0[0] }
        }
        #expect(arrivals == Array(0..<1000))
    }

    @Test("A write's changes are visible to others when it returns")
    func durability() async throws {
        let store = try openStore()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    try await store.write(insert(number))
                    #expect(try committed().contains(number))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A write that throws is undone, and the others are not", arguments: 0..<3)
    func throwing(place: Int) async throws {
        let store = try openStore()
        var parts = (0..<3).map(insert)
        parts[place] = { connection in
            try connection.execute("INSERT INTO t VALUES (100), (101)")
            throw Stop()
        }
        let results = try await store.writeTogether(parts)
        for (index, result) in results.enumerated() {
            #expect(result.isSuccess == (index != place))
        }
        #expect(throws: Stop.self) { try results[place].get() }
        #expect(try committed() == (0..<3).filter { $0 != place })
    }

    @Test("A write that violates a deferred constraint at the commit fails alone", arguments: 0..<3)
    func deferredConstraint(place: Int) async throws {
        try prepareTable(
            "CREATE TABLE child (a REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED)")
        let runs = Counter()
        let store = try openStore()
        var parts = (0..<3).map { number -> Part<Void> in
            { connection in
                runs.increase()
                try insert(number)(connection)
            }
        }
        parts[place] = { connection in
            runs.increase()
            try connection.execute("INSERT INTO child VALUES (9)")
        }
        let results = try await store.writeTogether(parts)
        for (index, result) in results.enumerated() {
            #expect(result.isSuccess == (index != place))
        }
        #expect(results[place].code == .constraint)
        #expect(try committed() == (0..<3).filter { $0 != place })
        #expect(runs.value == 6, "each ran with the others, and then by itself")
    }

    @Test("Retries after a failed group do not include later writes")
    func retriedAlone() async throws {
        try prepareTable(
            "CREATE TABLE child (a REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED)")
        let (runs, laterRuns) = (Counter(), Counter())
        let store = try openStore()
        let tasks = try store.aloneHere { _ in
            [
                Task.immediateDetached {
                    try await store.write { connection in
                        runs.increase()
                        try connection.execute("INSERT INTO child VALUES (9)")
                    }
                },
                Task.immediateDetached { try await store.write(insert(1)) },
                // Ends the group, which fails; its members then wait after the last of these.
                Task.immediateDetached { try await store.withoutTransaction { _ in } },
                Task.immediateDetached {
                    try await store.write { connection in
                        laterRuns.increase()
                        try insert(2)(connection)
                    }
                },
            ]
        }
        var results: [Result<Void, any Error>] = []
        for task in tasks { results.append(await task.result) }
        #expect(results.map { $0.isSuccess } == [false, true, true, true])
        #expect(results[0].code == .constraint)
        #expect(laterRuns.value == 1 && runs.value <= 2)
        #expect(try committed() == [1, 2])
    }

    @Test("An error that ends the transaction fails only its own write", arguments: 0..<3)
    func endedTransaction(place: Int) async throws {
        let store = try openStore()
        var parts = (0..<3).map(insert)
        parts[place] = { connection in
            try connection.execute("INSERT INTO t VALUES (100)")
            try connection.execute("INSERT OR ROLLBACK INTO t VALUES (100)")
        }
        let results = try await store.writeTogether(parts)
        #expect(results.map { $0.isSuccess } == (0..<3).map { $0 != place })
        #expect(results[place].code == .constraint)
        #expect(try committed() == (0..<3).filter { $0 != place })
        try store.writeHere(insert(50))
        #expect(try committed().contains(50))
    }

    @Test("So does such an error if the write ignores it", arguments: 0..<3)
    func endedTransactionPassedOver(place: Int) async throws {
        let store = try openStore()
        var parts = (0..<3).map(insert)
        parts[place] = { connection in
            try connection.execute("INSERT INTO t VALUES (100)")
            try? connection.execute("INSERT OR ROLLBACK INTO t VALUES (100)")
        }
        let results = try await store.writeTogether(parts)
        #expect(results[place].code == .misuse)
        #expect(try committed() == (0..<3).filter { $0 != place })
    }

    @Test("Changes undone in a savepoint of one write are gone, and the rest remains")
    func nestedSavepoints() async throws {
        let store = try openStore()
        let parts = [0, 10, 20].map { base -> Part<Void> in
            { connection in
                try connection.execute("INSERT INTO t VALUES (?)", base)
                try? connection.savepoint { connection in
                    try connection.execute("INSERT INTO t VALUES (?)", base + 1)
                    try connection.savepoint { connection in
                        try connection.execute("INSERT INTO t VALUES (?)", base + 2)
                    }
                    throw Stop()
                }
                try connection.write { try $0.execute("INSERT INTO t VALUES (?)", base + 3) }
            }
        }
        #expect(try await store.writeTogether(parts).allSatisfy { $0.isSuccess })
        #expect(try committed() == [0, 3, 10, 13, 20, 23])
    }

    @Test("SQL cannot set a savepoint that would extend into the others' parts") func foreignSavepoint() async throws {
        let store = try openStore()
        let parts: [Part<Void>] = [
            { connection in
                try connection.execute("SAVEPOINT mine")
                try connection.execute("INSERT INTO t VALUES (1)")
            },
            { connection in
                try connection.execute("INSERT INTO t VALUES (2)")
                try connection.execute("ROLLBACK TO mine")
            },
            insert(3),
        ]
        let results = try await store.writeTogether(parts)
        #expect(results.map { $0.isSuccess } == [false, false, true])
        #expect(try committed() == [3])
    }

    @Test("Each write gets the result of its own closure, and the ids of its own rows") func values() async throws {
        let store = try openStore()
        let parts = (0..<20).map { number -> Part<[Int64]> in
            { connection in
                try connection.execute("INSERT INTO t VALUES (?)", number)
                return [Int64(number), connection.lastInsertedRowID, Int64(connection.changes)]
            }
        }
        let results = try await store.writeTogether(parts)
        #expect(results.count == 20)
        for (number, result) in results.enumerated() {
            #expect(try result.get() == [Int64(number), Int64(number) + 1, 1])
        }
    }

    @Test("Blocking and asynchronous writes share the writer, and none is lost")
    func mixed() async throws {
        let store = try openStore()
        let threads = (0..<4).map { thread in
            TestThread {
                for number in 0..<25 { try store.writeHere(insert(thread * 25 + number)) }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 4..<8 {
                group.addTask {
                    for number in 0..<25 { try await store.write(insert(task * 25 + number)) }
                }
            }
            try await group.waitForAll()
        }
        for thread in threads { try await thread.end() }
        #expect(try committed() == Array(0..<200))
    }
}
