import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Where functions in Swift are allowed, and how long they live")
struct FunctionLifeTests {
    // MARK: In a schema

    @Test("A deterministic function is allowed in an index, a generated column and a view")
    func deterministic() throws {
        let connection = try Connection.inMemory(
            with: SQLFunction("halved", argumentCount: 1, isDeterministic: true) { arguments in
                guard case .integer(let number) = try arguments[0] else { return .null }
                return .integer(number / 2)
            })
        try connection.execute("CREATE TABLE t (a, b AS (halved(a)) STORED)")
        try connection.execute("CREATE INDEX i ON t (halved(a))")
        try connection.execute("CREATE VIEW v AS SELECT halved(b) AS c FROM t")
        try connection.execute("INSERT INTO t (a) VALUES (4), (8), (NULL)")
        #expect(try connection.value("SELECT b FROM t WHERE halved(a) = 4") == 4)
        let plan: String? = try connection.first(
            "EXPLAIN QUERY PLAN SELECT a FROM t WHERE halved(a) = 4"
        ) { row in try row["detail"] }
        #expect(plan?.contains("INDEX i") == true)
        #expect(try connection.value("SELECT sum(c) FROM v") == 3)
        #expect(try connection.value("PRAGMA integrity_check") == "ok")
    }

    @Test(
        "A function that is not deterministic is refused in a schema",
        arguments: [
            "CREATE INDEX i ON t (same(a))", "CREATE TABLE u (a, b AS (same(a)))",
            "CREATE VIEW v AS SELECT same(a) FROM t; SELECT * FROM v",
            "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT same(1); END; INSERT INTO t VALUES (1)",
        ])
    func nonDeterministic(_ script: String) throws {
        let connection = try Connection.inMemory(with: .same)
        try connection.execute("CREATE TABLE t (a)")
        Refusal.expect(.sqlFailed) { try connection.run(script: script) }
    }

    @Test("A CHECK cannot call one either")
    func check() throws {
        let connection = try Connection.inMemory(with: .same)
        withKnownIssue("SQLite marks only deterministic functions of a CHECK as the schema's") {
            Refusal.expect(.sqlFailed) {
                try connection.run(script: "CREATE TABLE u (a CHECK (same(a) = 1)); INSERT INTO u VALUES (1)")
            }
        }
    }

    // MARK: Names

    @Test("A function of the same name and argument count is replaced, for cached statements too")
    func replacing() throws {
        let connection = try Connection.inMemory()
        for number in 1...3 as ClosedRange<Int64> {
            try connection.add(SQLFunction(number == 2 ? "F" : "f", argumentCount: 0) { _ in .integer(number) })
            for _ in 0..<2 { #expect(try connection.value("SELECT f()") == number) }
        }
    }

    @Test("The name of one of the engine's functions is refused, and that function stays") func reserved() throws {
        for name in ["lockstep_sha256", "Lockstep_x", "LOCKSTEP_"] {
            Refusal.expect(.denied) {
                _ = try Connection.inMemory(with: SQLFunction(name, argumentCount: 1) { _ in .null })
            }
        }
        let connection = try Connection.inMemory()
        #expect(try connection.value("SELECT length(lockstep_sha256('x'))") == 32)
    }

    @Test("Any other name is accepted, quoted where necessary", arguments: ["é", "a b", "select"])
    func strangeNames(_ name: String) throws {
        let connection = try Connection.inMemory(with: SQLFunction(name, argumentCount: 0) { _ in .integer(1) })
        #expect(try connection.value("SELECT \(name: name)()") == 1)
    }

    // MARK: Life

    private final class Token: Sendable {}

    @Test(
        "A function's captured values are released when it is replaced or refused, and on closing")
    func released() throws {
        weak var first: Token?
        weak var second: Token?
        weak var refused: Token?
        do {
            let connection = try Connection.inMemory()
            func add(_ count: Int) throws -> Token {
                let token = Token()
                try connection.add(
                    SQLFunction("f", argumentCount: count) { [token] _ in
                        withExtendedLifetime(token) { .integer(1) }
                    })
                return token
            }
            first = try add(0)
            #expect(first != nil)
            #expect(try connection.value("SELECT f()") == 1)
            second = try add(0)
            #expect(first == nil && second != nil)
            refused = try? add(1000)
            #expect(refused == nil)
        }
        #expect(second == nil)
    }

    @Test("Every connection of a store has them: each reader and the writer")
    func stores() throws {
        let scratch = try DatabaseScratch()
        var options = StoreOptions()
        options.readers = 3
        options.connection.functions = [.same]
        options.connection.collations = [Collation("never") { _, _ in 0 }]
        let sql: SQL = "SELECT same(7) + ('a' = 'b' COLLATE never)"
        let store = try Store.create(scratch.path, rawKey: scratch.key(), options: options)
        #expect(try store.blocking.write { try $0.value(sql, as: Int.self) } == 8)
        let connections = try #require(store.readers?.connections)
        #expect(connections.count == 3)
        for pooled in connections {
            #expect(try pooled.use { try $0.value(sql, as: Int.self) } == 8)
        }
        let memory = try Store.inMemory(options: options)
        #expect(try memory.blocking.read { try $0.value(sql, as: Int.self) } == 8)
        #expect(try memory.blocking.write { try $0.value(sql, as: Int.self) } == 8)
    }
}
