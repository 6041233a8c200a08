import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Collations in Swift")
struct CollationTests {
    /// By length, then backwards.
    private static let lengths = Collation("by_length") { first, second in
        let (a, b) = (first.utf8.count, second.utf8.count)
        if a != b { return a < b ? Int.min : Int.max }
        return first == second ? 0 : first > second ? -5 : 5
    }

    private static func open() throws -> Connection {
        var options = ConnectionOptions()
        options.collations = [lengths]
        return try Connection.inMemory(options)
    }

    private static func sorted(
        _ texts: [String], _ connection: borrowing Connection
    ) throws -> [String] {
        try connection.execute("CREATE TEMP TABLE sorted (a TEXT)")
        for text in texts { try connection.execute("INSERT INTO sorted VALUES (\(text))") }
        let all = try connection.query("SELECT a FROM sorted ORDER BY a COLLATE by_length") { row in
            try row[0] as String
        }
        try connection.execute("DROP TABLE sorted")
        return all
    }

    @Test("ORDER BY follows it, however large its results are")
    func ordering() throws {
        let connection = try Self.open()
        #expect(
            try Self.sorted(["ccc", "a", "bb", "", "b", "aa"], connection)
                == ["", "b", "a", "bb", "aa", "ccc"])
    }

    @Test("Texts with zero bytes, in any script, arrive whole")
    func strangeTexts() throws {
        let connection = try Self.open()
        let texts = ["a\0bcde", "日本", "é", "a\0b", "\0", "👩‍👩‍👧‍👦"]
        #expect(try Self.sorted(texts, connection) == ["\0", "é", "a\0b", "日本", "a\0bcde", "👩‍👩‍👧‍👦"])
    }

    @Test("Invalid UTF-8 is compared as U+FFFD, and nothing fails")
    func invalid() throws {
        let connection = try Self.open()
        let isEqual: Int? = try connection.value("SELECT CAST(x'61FF' AS TEXT) = 'a\u{FFFD}' COLLATE by_length")
        #expect(isEqual == 1)
    }

    @Test("Comparisons, grouping, DISTINCT and UNIQUE follow it")
    func comparisons() throws {
        var options = ConnectionOptions()
        options.collations = [
            Collation("same") {
                $0.lowercased() == $1.lowercased()
                    ? 0
                    : $0.lowercased() < $1.lowercased() ? -1 : 1
            }
        ]
        let connection = try Connection.inMemory(options)
        try connection.execute("CREATE TABLE t (a TEXT COLLATE same UNIQUE)")
        try connection.execute("INSERT INTO t VALUES ('Österreich')")
        Refusal.expect(.constraint) {
            try connection.execute("INSERT INTO t VALUES ('ÖSTERREICH')")
        }
        #expect(try connection.value("SELECT count(*) FROM t WHERE a = 'österreich'") == 1)
        #expect(
            try connection.value("SELECT count(DISTINCT value COLLATE same) FROM json_each('[\"É\", \"é\", \"e\"]')")
                == 2)
    }

    @Test("An index uses its order, is used by a search, and is sound when opened again") func index() throws {
        let scratch = try DatabaseScratch()
        var options = ConnectionOptions()
        options.collations = [Self.lengths]
        do {
            let connection = try scratch.create(options)
            try connection.execute("CREATE TABLE t (a TEXT COLLATE by_length)")
            try connection.execute("CREATE INDEX i ON t (a)")
            try connection.write { connection in
                for number in 0..<500 {
                    try connection.execute("INSERT INTO t VALUES (\(String(number * 7919 % 100_000)))")
                }
            }
        }
        let connection = try scratch.open(options)
        #expect(try connection.value("PRAGMA integrity_check") == "ok")
        let plan: String? = try connection.first(
            "EXPLAIN QUERY PLAN SELECT a FROM t WHERE a = '7919'"
        ) { row in try row["detail"] }
        #expect(plan?.contains("INDEX i") == true)
        #expect(try connection.value("SELECT count(*) FROM t WHERE a = '7919'") == 1)
        let inOrder = try connection.query("SELECT a FROM t ORDER BY a") { row in
            try row[0] as String
        }
        #expect(inOrder.first == "0" && inOrder.map(\.utf8.count) == inOrder.map(\.utf8.count).sorted())
        // Without the collation, no search may use it.
        Refusal.expect(.sqlFailed) {
            _ = try scratch.open().value("SELECT count(*) FROM t WHERE a = '7919'", as: Int.self)
        }
    }

    @Test("A collation of the same name is replaced, and cached statements follow the new one")
    func replacing() throws {
        let connection = try Self.open()
        let sql: SQL = "SELECT 'a' < 'b' COLLATE by_length"
        #expect(try connection.value(sql) == 0)
        try connection.add(Collation("BY_LENGTH") { $0 < $1 ? -1 : 1 })
        #expect(try connection.value(sql) == 1)
    }

    private final class Token: Sendable {}

    @Test("Its captured values are released when it is replaced, and when its connection closes")
    func released() throws {
        weak var first: Token?
        weak var second: Token?
        do {
            let connection = try Connection.inMemory()
            func add() throws -> Token {
                let token = Token()
                try connection.add(Collation("c") { [token] _, _ in withExtendedLifetime(token) { 0 } })
                return token
            }
            first = try add()
            #expect(try connection.value("SELECT 'a' = 'b' COLLATE c") == 1)
            #expect(first != nil)
            second = try add()
            #expect(first == nil && second != nil)
        }
        #expect(second == nil)
    }

    @Test("It is refused while a statement reads, and its captured values are released") func whileReading() throws {
        let connection = try Self.open()
        weak var held: Token?
        try connection.prepare("SELECT 'b' < 'a' COLLATE by_length").forEach { _ in
            let token = Token()
            held = token
            Refusal.expect(.busy) {
                try connection.add(Collation("by_length") { [token] _, _ in withExtendedLifetime(token) { 0 } })
            }
        }
        #expect(held == nil)
    }
}
