import Synchronization
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Aggregate functions")
final class AggregateFunctionTests {
    private let connection: Connection

    private final class Token: Sendable {}

    init() throws {
        connection = try Connection.inMemory()
        try connection.add(
            .aggregate(
                "joined", argumentCount: 1, initial: { "<" },
                step: { text, arguments in
                    if case .text(let more) = try arguments[0] { text += more }
                }, result: { .text($0 + ">") }))
        try connection.execute("CREATE TABLE t (kind INTEGER, a)")
    }

    private func fill() throws {
        try connection.execute("INSERT INTO t VALUES (1, 'a'), (2, 'x'), (1, 'b'), (2, 'y'), (3, 7)")
    }

    private func texts(_ sql: SQL) throws -> [String] {
        try connection.query(sql) { row in try row[0] }
    }

    @Test("Each group has its own state, from its first row to its last")
    func groups() throws {
        try fill()
        #expect(
            try texts("SELECT joined(a) FROM t GROUP BY kind ORDER BY kind")
                == ["<ab>", "<xy>", "<>"])
        #expect(try texts("SELECT joined(a) || joined(upper(a)) FROM t WHERE kind = 1") == ["<ab><AB>"])
        #expect(try texts("SELECT joined(DISTINCT 'q') FROM t") == ["<q>"])
        #expect(try texts("SELECT joined(a) FILTER (WHERE a > 'a') FROM t WHERE kind = 1") == ["<b>"])
    }

    @Test("A group without rows has the initial state's result, in every run")
    func emptyGroup() throws {
        for _ in 0..<3 { #expect(try texts("SELECT joined(a) FROM t") == ["<>"]) }
        #expect(try texts("SELECT joined(a) FROM t GROUP BY kind") == [])
        try fill()
        #expect(try texts("SELECT joined(a) FROM t WHERE kind = 2") == ["<xy>"])
    }

    @Test("An aggregate within another's rows does not share its state")
    func nested() throws {
        try fill()
        let sql: SQL = """
            SELECT joined((SELECT joined(a) FROM t AS inner WHERE inner.kind = outer.kind))
            FROM (SELECT DISTINCT kind FROM t ORDER BY kind) AS outer
            """
        #expect(try texts(sql) == ["<<ab><xy><>>"])
    }

    @Test("An aggregate without arguments counts the rows")
    func noArguments() throws {
        try connection.add(
            .aggregate(
                "rows", argumentCount: 0, initial: { Int64(0) }, step: { count, _ in count += 1 },
                result: { .integer($0) }))
        try fill()
        #expect(try connection.value("SELECT rows() FROM t") == 5)
        #expect(try connection.value("SELECT rows() FROM t WHERE kind = 9") == 0)
    }

    @Test("A step that throws is the statement's error, and no further step of the group runs")
    func throwingStep() throws {
        let counter = Counter()
        try connection.add(
            .aggregate(
                "failing", argumentCount: 1, initial: { 0 },
                step: { _, arguments in
                    counter.add()
                    if case .text = try arguments[0] { throw Stop() }
                }, result: { _ in .text("hunter2") }))
        try fill()
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("SELECT failing(a) FROM t")
        }
        #expect(error.code == .sqlFailed && error.message.hasPrefix("failing failed"))
        #expect(!error.description.contains("hunter2"))
        #expect(counter.count == 1)
        // A group that does not fail is unaffected by one that did.
        #expect(try texts("SELECT failing(a) FROM t WHERE kind = 3") == ["hunter2"])
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .relaxed) }
        func add() { value.add(1, ordering: .relaxed) }
    }

    @Test("A result that throws is the statement's error")
    func throwingResult() throws {
        try connection.add(
            .aggregate("never", argumentCount: 0, initial: { 0 }, step: { _, _ in }, result: { _ in throw Stop() }))
        for _ in 0..<2 { Refusal.expect(.sqlFailed) { _ = try texts("SELECT never() FROM t") } }
        #expect(try texts("SELECT joined(a) FROM t") == ["<>"])
    }

    @Test("A group's state is released when it completes, fails or is abandoned")
    func states() throws {
        let alive = Counter()
        let gone = Counter()
        final class State {
            let gone: Counter
            init(_ gone: Counter) { self.gone = gone }
            deinit { gone.add() }
        }
        try connection.add(
            .aggregate(
                "held", argumentCount: 1,
                initial: {
                    alive.add()
                    return State(gone)
                },
                step: { _, arguments in if try arguments[0] == .text("y") { throw Stop() } },
                result: { _ in .integer(1) }))
        try fill()
        _ = try connection.query("SELECT held(a) FROM t WHERE kind = 1 GROUP BY a") { row in
            row.count
        }
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT held(a) FROM t") }
        // json() fails in the middle of the first group.
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT held(json(a)) FROM t") }
        Refusal.expect(.sqlFailed) {
            try connection.execute("SELECT held(kind), max(json(kind), json(a)) FROM t")
        }
        try connection.execute("SELECT held(a) FROM t WHERE kind = 99")
        #expect(alive.count > 3)
        #expect(alive.count == gone.count)
    }

    @Test("An aggregate is refused as a window function, in a WHERE, and in a schema") func refusedUses() throws {
        for sql in [
            "SELECT joined(a) OVER (ORDER BY kind) FROM t", "SELECT a FROM t WHERE joined(a) = 'x'",
            "CREATE INDEX i ON t (joined(a))",
        ] as [SQL] {
            Refusal.expect(.sqlFailed) { try connection.execute(sql) }
        }
    }

    @Test("An aggregate's captured values are released with its connection")
    func released() throws {
        weak var token: Token?
        do {
            let connection = try Connection.inMemory()
            let held = Token()
            token = held
            try connection.add(
                .aggregate(
                    "f", argumentCount: 0, initial: { [held] in held }, step: { _, _ in }, result: { _ in .null }))
            try connection.execute("SELECT f()")
        }
        #expect(token == nil)
    }
}
