import Synchronization
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Time limits")
struct TimeLimitTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 10)
    }

    /// Never ends by itself, nor returns a row.
    private static let endless: SQL = """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
        """
    private static let long: SQL = """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000)
        SELECT count(*) FROM n
        """

    private func open(
        limit: Duration? = nil, deadline: ContinuousClock.Instant? = nil,
        _ change: (inout ConnectionOptions) -> Void = { _ in }
    ) throws -> Connection {
        var options = ConnectionOptions()
        options.timeLimit = limit
        options.deadline = deadline
        change(&options)
        return try scratch.open(options)
    }

    @Test("A statement that takes too long ends with its error, and the connection remains usable")
    func statement() throws {
        let connection = try open(limit: .milliseconds(20))
        for _ in 0..<3 {
            let error = #expect(throws: LockstepError.self) {
                _ = try connection.value(Self.endless, as: Int.self)
            }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message.contains("0.02 seconds") == true)
            #expect(error?.hint?.contains("timeLimit") == true)
        }
        let patient = try open(limit: .seconds(3600))
        #expect(try patient.value(Self.long) == 200_000)
        #expect(try scratch.count(patient) == 10)
    }

    @Test("Earlier statements do not count, and each nested statement has its own time") func nested() throws {
        let connection = try open(limit: .milliseconds(500))
        let inner = try connection.prepare("SELECT i FROM (SELECT 1 AS i)")
        Refusal.expect(.limitExceeded) {
            // Inner statements must not reset the time of the outer one.
            try connection.prepare("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
                .forEach { _ in try inner.run() }
        }
        #expect(try scratch.count(connection) == 10)
    }

    @Test("An interrupted write leaves nothing")
    func writing() throws {
        let connection = try open(limit: .milliseconds(200))
        Refusal.expect(.limitExceeded) {
            try connection.write { connection in
                try scratch.add(rows: 2, inside: connection)
                try connection.execute(
                    """
                    INSERT INTO item (body) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                    SELECT x'00' FROM n WHERE i < 0
                    """)
            }
        }
        #expect(connection.isInTransaction == false)
        #expect(try scratch.count(scratch.open()) == 10)
    }

    @Test("After the deadline nothing starts, and an open transaction is rolled back")
    func past() throws {
        let connection = try open(deadline: .now - .seconds(1))
        for _ in 0..<2 {
            let error = #expect(throws: LockstepError.self) { _ = try scratch.count(connection) }
            #expect(error?.code == .limitExceeded)
            #expect(error?.hint?.contains("ConnectionOptions.deadline") == true)
        }
        Refusal.expect(.limitExceeded) {
            try connection.write { try $0.execute("DELETE FROM item") }
        }
        Refusal.expect(.limitExceeded) { try connection.requireTime() }
        #expect(connection.isInTransaction == false)
        #expect(try scratch.count(scratch.open()) == 10)
    }

    @Test("A deadline ends a running statement, as the earlier of both limits does")
    func deadline() throws {
        for limit in [nil, Duration.seconds(3600)] {
            let connection = try open(limit: limit, deadline: .now + .milliseconds(300))
            Refusal.expect(.limitExceeded) {
                try connection.write { connection in
                    try connection.execute("DELETE FROM item")
                    _ = try connection.value(Self.endless, as: Int.self)
                }
            }
        }
        let connection = try open(deadline: .now + .seconds(3600))
        try connection.requireTime()
        #expect(try connection.value(Self.long) == 200_000)
        #expect(try scratch.count(connection) == 10)
    }

    @Test(
        "A program's own handler is still called, as often as it wants",
        arguments: [1000, 100_000])
    func ownHandler(_ interval: Int) throws {
        func calls(_ limit: Duration?) throws -> Int {
            let asked = Counter()
            let connection = try open(limit: limit) {
                $0.progress = ProgressHandler(every: interval) { asked.shouldContinue(upTo: .max) }
            }
            _ = try connection.value(Self.long, as: Int.self)
            return asked.count
        }
        let alone = try calls(nil)
        let beside = try calls(.seconds(3600))
        #expect(alone > 5)
        #expect(abs(alone - beside) <= 1 + alone / 10)
        let asked = Counter()
        let connection = try open(limit: .seconds(3600)) {
            $0.progress = ProgressHandler(every: interval) { asked.shouldContinue(upTo: 3) }
        }
        // Its refusal is not reported as a limit's.
        Refusal.expect(.interrupted) { _ = try connection.value(Self.endless, as: Int.self) }
    }

    private final class Counter: Sendable {
        private let asked = Atomic(0)
        var count: Int { asked.load(ordering: .relaxed) }
        func shouldContinue(upTo most: Int) -> Bool {
            asked.add(1, ordering: .relaxed)
            return count <= most
        }
    }

    @Test("A verification past its deadline ends and reports nothing")
    func verification() throws {
        var verification = Verification(scratch.path, sets: [])
        verification.deadline = .now - .seconds(1)
        Refusal.expect(.limitExceeded) { _ = try verification.run(key: scratch.key()) }
        verification.deadline = .now + .seconds(3600)
        #expect(try verification.run(key: scratch.key()).outcomes.count > 5)
    }
}
