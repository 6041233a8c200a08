import Synchronization
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Interrupting a long statement")
struct ProgressTests {
    private let patience = Patience()
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 10)
    }

    /// Answers yes this many times, then no; nil: always yes.
    private final class Patience: Sendable {
        private let left = Mutex<Int?>(nil)
        private let asked = Atomic(0)
        var count: Int { asked.load(ordering: .relaxed) }
        func set(_ times: Int?) { left.withLock { $0 = times } }
        func shouldContinue() -> Bool {
            asked.add(1, ordering: .relaxed)
            return left.withLock { left in
                guard let times = left else { return true }
                left = max(times - 1, 0)
                return times > 0
            }
        }
    }

    private func open(every interval: Int) throws -> Connection {
        var options = ConnectionOptions()
        options.progress = ProgressHandler(every: interval) { [patience] in
            patience.shouldContinue()
        }
        return try scratch.open(options)
    }

    /// About ten million instructions, so that a failed interruption fails the test instead of hanging it.
    private static let long: SQL = """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000)
        SELECT count(*) FROM n
        """

    @Test(
        "A long query ends with its own error, and the connection remains usable",
        arguments: [1, 1000])
    func reading(_ interval: Int) throws {
        let connection = try open(every: interval)
        for times in [0, 1, 5] {
            patience.set(times)
            Refusal.expect(.interrupted) { _ = try connection.value(Self.long, as: Int.self) }
            patience.set(nil)
            #expect(try scratch.count(connection) == 10)
        }
    }

    @Test("The handler is called, and a yes lets the statement finish", arguments: [1000, 0, -1])
    func yes(_ interval: Int) throws {
        let connection = try open(every: interval)
        let before = patience.count
        #expect(try connection.value("SELECT sum(value) FROM json_each('[1, 2, 3]')") == 6)
        let long: SQL = """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)
            SELECT count(*) FROM n
            """
        #expect(try connection.value(long) == 10_000)
        #expect(patience.count > before + 10)
    }

    @Test(
        "An interrupted write leaves nothing, whatever the instruction",
        arguments: 0..<40)
    func writing(_ times: Int) throws {
        let connection = try open(every: 1)
        Refusal.expect(.interrupted) {
            try connection.write { connection in
                try scratch.add(rows: 2, to: connection)
                patience.set(times)
                try connection.execute("UPDATE item SET body = zeroblob(id)")
                try connection.execute(Self.long)
            }
        }
        patience.set(nil)
        #expect(connection.isInTransaction == false)
        #expect(try scratch.count(connection) == 10)
        #expect(try connection.value("SELECT min(length(body)) FROM item") == 100)
        try scratch.add(rows: 1, to: connection)
        #expect(try scratch.count(scratch.open()) == 11)
    }

    @Test("With a handler that always refuses nothing runs, but the database opens")
    func never() throws {
        patience.set(0)
        let connection = try open(every: 1)
        Refusal.expect(.interrupted) { _ = try scratch.count(connection) }
        Refusal.expect(.interrupted) {
            try connection.write { try $0.execute("DELETE FROM item") }
        }
        patience.set(nil)
        #expect(connection.isInTransaction == false)
        #expect(try scratch.count(connection) == 10)
    }
}
