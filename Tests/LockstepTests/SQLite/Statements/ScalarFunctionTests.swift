import TestSupport
import Testing

@testable import Lockstep

@Suite("Functions in Swift that SQL calls")
struct ScalarFunctionTests {
    private static func with(_ functions: SQLFunction...) throws -> Connection {
        var options = ConnectionOptions()
        options.functions = functions
        return try Connection.inMemory(options)
    }

    /// Gives back what it is given.
    private static let same = SQLFunction("same", argumentCount: 1) { try $0[0] }

    private struct Hunter2: Error {}

    // MARK: Values

    @Test(
        "A value of every type goes in and comes out",
        arguments: [
            Value.null, .integer(0), .integer(.min), .integer(.max), .real(-0.5),
            .real(.infinity), .text(""), .text("a\0b"), .text("日本"), .blob([]), .blob([0, 255]),
            .text(String(repeating: "é", count: 100_000)),
            .blob([UInt8](repeating: 9, count: 1 << 20)),
        ])
    func types(_ value: Value) throws {
        let connection = try Self.with(Self.same)
        #expect(try connection.value("SELECT same(\(value))", as: Value.self) == value)
        let type: String? = try connection.value("SELECT upper(typeof(same(\(value))))")
        #expect(type == value.typeName)
    }

    @Test("NaN becomes NULL")
    func nan() throws {
        let connection = try Self.with(
            SQLFunction("nan", argumentCount: 0) { _ in .real(.nan) })
        #expect(try connection.value("SELECT nan()", as: Value.self) == .null)
    }

    @Test("A function with any number of arguments sees how many there are")
    func anyNumber() throws {
        let connection = try Self.with(
            SQLFunction("many", argumentCount: nil) { arguments in
                var text = "\(arguments.count)"
                for index in 0..<arguments.count { text += " \(try arguments[index].typeName)" }
                return .text(text)
            })
        #expect(try connection.value("SELECT many()") == "0")
        #expect(try connection.value("SELECT many(1, 'a', NULL)") == "3 INTEGER TEXT NULL")
        let marks = repeatElement("1", count: 100).joined(separator: ", ")
        let text: String? = try connection.value("SELECT many(\(verbatim: marks))")
        #expect(text?.hasPrefix("100 INTEGER") == true)
    }

    @Test("A wrong number of arguments is an error when the statement is prepared")
    func wrongCount() throws {
        let connection = try Self.with(
            Self.same, SQLFunction("pair", argumentCount: 2) { try $0[1] })
        for sql in ["SELECT same()", "SELECT same(1, 2)", "SELECT pair(1)"] as [SQL] {
            Refusal.expect(.sqlFailed) { _ = try connection.prepare(sql) }
        }
        #expect(try connection.value("SELECT PAIR(1, 2)") == 2)
    }

    @Test("Functions of one name and several numbers of arguments stand beside each other")
    func overloads() throws {
        let connection = try Self.with(
            SQLFunction("n", argumentCount: 0) { _ in .integer(0) },
            SQLFunction("n", argumentCount: 2) { _ in .integer(2) },
            SQLFunction("n", argumentCount: nil) { _ in .integer(-1) })
        let all = try connection.first("SELECT n(), n(1), n(1, 2), n(1, 2, 3)") { row in
            [try row[0] as Int, try row[1], try row[2], try row[3]]
        }
        #expect(all == [0, -1, 2, -1])
    }

    @Test(
        "A number of arguments that SQLite cannot have is refused", arguments: [-2, 128, 1 << 40])
    func impossibleCount(_ count: Int) throws {
        let connection = try Connection.inMemory()
        Refusal.expect(.misuse) {
            try connection.add(SQLFunction("f", argumentCount: count) { _ in .null })
        }
        #expect(try connection.value("SELECT 1") == 1)
    }

    // MARK: Failing

    @Test(
        "A function that throws ends the statement without showing a value, and may be called again"
    )
    func throwing() throws {
        let connection = try Self.with(
            SQLFunction("picky", argumentCount: 1) { arguments in
                guard try arguments[0] == .integer(1) else { throw Hunter2() }
                return .text("fine")
            })
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("SELECT picky(\("hunter2")), 'hunter2'")
        }
        #expect(error.code == .sqlFailed)
        #expect(error.message.hasPrefix("picky failed"))
        #expect(!error.description.contains("hunter2"))
        #expect(try connection.value("SELECT picky(1)") == "fine")
    }

    @Test("A function that throws in the middle of a write undoes its statement")
    func throwingInWrite() throws {
        let connection = try Self.with(
            SQLFunction("few", argumentCount: 1) { arguments in
                guard case .integer(let number) = try arguments[0], number < 3 else {
                    throw Hunter2()
                }
                return .integer(number)
            })
        try connection.execute("CREATE TABLE t (a)")
        Refusal.expect(.sqlFailed) {
            try connection.execute("INSERT INTO t SELECT few(value) FROM json_each('[1, 2, 3]')")
        }
        #expect(try connection.value("SELECT count(*) FROM t") == 0)
    }

    @Test(
        "An argument that is not there, or is no valid text, is an error", arguments: [-1, 1, 127])
    func strangeArguments(_ index: Int) throws {
        let connection = try Self.with(
            Self.same, SQLFunction("far", argumentCount: 1) { try $0[index] })
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT far(7)") }
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT same(CAST(x'FF' AS TEXT))") }
    }

    // MARK: In a schema

    @Test("A deterministic function may stand in an index, a generated column and a view")
    func deterministic() throws {
        let connection = try Self.with(
            SQLFunction("halved", argumentCount: 1, isDeterministic: true) { arguments in
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
        let connection = try Self.with(Self.same)
        try connection.execute("CREATE TABLE t (a)")
        Refusal.expect(.sqlFailed) { try connection.run(script: script) }
    }

    @Test("Neither does a CHECK reach one")
    func check() throws {
        let connection = try Self.with(Self.same)
        withKnownIssue("SQLite marks only deterministic functions of a CHECK as the schema's") {
            Refusal.expect(.sqlFailed) {
                try connection.run(
                    script: "CREATE TABLE u (a CHECK (same(a) = 1)); INSERT INTO u VALUES (1)")
            }
        }
    }

    // MARK: Names

    @Test("One of the same name and number of arguments is replaced, for kept statements too")
    func replacing() throws {
        let connection = try Connection.inMemory()
        for number in 1...3 as ClosedRange<Int64> {
            try connection.add(
                SQLFunction(number == 2 ? "F" : "f", argumentCount: 0) { _ in .integer(number) })
            for _ in 0..<2 { #expect(try connection.value("SELECT f()") == number) }
        }
    }

    @Test("A name that is the engine's is refused, and the engine's function stays")
    func reserved() throws {
        for name in ["lockstep_sha256", "Lockstep_x", "LOCKSTEP_"] {
            Refusal.expect(.denied) {
                _ = try Self.with(SQLFunction(name, argumentCount: 1) { _ in .null })
            }
        }
        let connection = try Connection.inMemory()
        #expect(try connection.value("SELECT length(lockstep_sha256('x'))") == 32)
    }

    @Test("Any other name will do, quoted where it must be", arguments: ["é", "a b", "select"])
    func strangeNames(_ name: String) throws {
        let connection = try Self.with(SQLFunction(name, argumentCount: 0) { _ in .integer(1) })
        #expect(try connection.value("SELECT \(name: name)()") == 1)
    }

    // MARK: Life

    private final class Token: Sendable {}

    @Test(
        "What a function holds is released when it is replaced, refused, or its connection closes")
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

    @Test("Every connection of a store has them: each reader, and the writer")
    func stores() throws {
        let scratch = try DatabaseScratch()
        var options = StoreOptions()
        options.readers = 3
        options.connection.functions = [Self.same]
        options.connection.collations = [Collation("never") { _, _ in 0 }]
        let sql: SQL = "SELECT same(7) + ('a' = 'b' COLLATE never)"
        let store = try Store.create(scratch.path, key: scratch.key(), options: options)
        #expect(try store.write { try $0.value(sql, as: Int.self) } == 8)
        let seats = try #require(store.readers?.seats)
        #expect(seats.count == 3)
        for seat in seats { #expect(try seat.use { try $0.value(sql, as: Int.self) } == 8) }
        let memory = try Store.inMemory(options: options)
        #expect(try memory.read { try $0.value(sql, as: Int.self) } == 8)
        #expect(try memory.write { try $0.value(sql, as: Int.self) } == 8)
    }
}
