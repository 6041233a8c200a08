import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("The statement cache")
struct StatementCacheTests {
    private func open(keeping count: Int) throws -> Connection {
        var options = ConnectionOptions()
        options.cachedStatements = count
        return try Connection.inMemory(options)
    }

    /// The compiled statement for `sql`, which is back in the cache when this returns.
    private func compiled(
        _ sql: SQL, _ connection: borrowing Connection
    ) throws -> PreparedStatement {
        let statement = try connection.prepare(sql)
        return statement.prepared
    }

    // MARK: Caching

    @Test("The same SQL is compiled once, whatever its values")
    func reuse() throws {
        let connection = try open(keeping: 8)
        let first = try compiled("SELECT \(1)", connection)
        #expect(try compiled("SELECT \(2)", connection) === first)
        #expect(try compiled("SELECT ?", connection) === first)
        #expect(try compiled("SELECT  ?", connection) !== first)
        #expect(try connection.value("SELECT ?", 3) == 3)
        #expect(try compiled("SELECT ?", connection) === first)
    }

    @Test("A statement in use is not shared, and both copies continue")
    func checkedOut() throws {
        let connection = try open(keeping: 8)
        let sql: SQL = "SELECT value FROM json_each('[1, 2, 3]')"
        let outer = try connection.prepare(sql)
        var products: [Int] = []
        try outer.forEach { row in
            let inner = try connection.prepare(sql)
            #expect(inner.prepared !== outer.prepared)
            let number: Int = try row[0]
            products += try inner.map { row in try row[0] as Int * number }
        }
        #expect(products == [1, 2, 3, 2, 4, 6, 3, 6, 9])
    }

    @Test("Of two statements with the same SQL, the one returned last is cached")
    func twins() throws {
        let connection = try open(keeping: 8)
        let first = try connection.prepare("SELECT 1")
        let second = try compiled("SELECT 1", connection)
        let kept = first.prepared
        #expect(kept !== second)
        _ = consume first
        #expect(try compiled("SELECT 1", connection) === kept)
    }

    @Test("The least recently used statement is evicted")
    func eviction() throws {
        let connection = try open(keeping: 3)
        let one = try compiled("SELECT 1", connection)
        let two = try compiled("SELECT 2", connection)
        let three = try compiled("SELECT 3", connection)
        #expect(try compiled("SELECT 1", connection) === one)
        let four = try compiled("SELECT 4", connection)
        #expect(try compiled("SELECT 1", connection) === one)
        #expect(try compiled("SELECT 3", connection) === three)
        #expect(try compiled("SELECT 4", connection) === four)
        #expect(try compiled("SELECT 2", connection) !== two)
    }

    @Test("With a capacity of 1, the last is cached")
    func one() throws {
        let connection = try open(keeping: 1)
        let first = try compiled("SELECT 1", connection)
        #expect(try compiled("SELECT 1", connection) === first)
        let second = try compiled("SELECT 2", connection)
        #expect(try compiled("SELECT 2", connection) === second)
        #expect(try compiled("SELECT 1", connection) !== first)
    }

    @Test("With no capacity nothing is cached, and everything works", arguments: [0, -1, Int.min])
    func none(_ count: Int) throws {
        let connection = try open(keeping: count)
        let first = try compiled("SELECT ?", connection)
        #expect(try compiled("SELECT ?", connection) !== first)
        for number in 0..<5 { #expect(try connection.value("SELECT ?", number) == number) }
    }

    @Test("Ten thousand different statements leave no more than the capacity")
    func bounded() throws {
        let connection = try open(keeping: 4)
        weak var early: PreparedStatement?
        early = try compiled("SELECT -1", connection)
        #expect(early != nil)
        for number in 0..<10_000 {
            _ = try connection.value("SELECT \(verbatim: "\(number)")", as: Int.self)
        }
        #expect(early == nil)
    }

    @Test("Closing the connection empties the cache")
    func closing() throws {
        weak var kept: PreparedStatement?
        do {
            let connection = try open(keeping: 8)
            kept = try compiled("SELECT 1", connection)
            #expect(kept != nil)
        }
        #expect(kept == nil)
    }

    // MARK: Texts that Swift takes for equal

    @Test("Each text runs as it is written: its bytes count", arguments: NamePair.all)
    func bytes(_ pair: NamePair) throws {
        let connection = try open(keeping: 8)
        for _ in 0..<2 {
            for text in pair.both {
                let found: String? = try connection.value("SELECT '\(verbatim: text)'")
                #expect(found.map { Array($0.utf8) } == Array(text.utf8))
            }
        }
        let first = try compiled("SELECT '\(verbatim: pair.one)'", connection)
        #expect(try compiled("SELECT '\(verbatim: pair.other)'", connection) !== first)
        #expect(try compiled("SELECT '\(verbatim: pair.one)'", connection) === first)
    }

    @Test("A name in a text leads to its own table")
    func names() throws {
        let connection = try open(keeping: 8)
        for (rows, name) in ["\u{E9}", "e\u{301}"].enumerated() {
            try connection.execute("CREATE TABLE \(name: name) (a)")
            for row in 0..<rows {
                try connection.execute("INSERT INTO \(name: name) VALUES (?)", row)
            }
        }
        for (rows, name) in ["\u{E9}", "e\u{301}"].enumerated() {
            #expect(try connection.value("SELECT count(*) FROM \(name: name)") == rows)
        }
        try connection.execute("DELETE FROM \(name: "\u{E9}")")
        #expect(try connection.value("SELECT count(*) FROM \(name: "e\u{301}")") == 1)
    }

    @Test("Of a thousand texts that Swift takes for one, each is found")
    func many() throws {
        let texts = NamePair.many(1000)
        #expect(Set(texts).count == 1)
        let connection = try open(keeping: 1000)
        for round in 0..<2 {
            for text in texts {
                let sql: SQL = "SELECT '\(verbatim: text)'"
                let found: String? = try connection.value(sql)
                #expect(found.map { Array($0.utf8) } == Array(text.utf8), "round \(round)")
            }
        }
    }

    @Test("Texts of every length and of one difference are different keys")
    func keys() {
        for length in 0..<40 {
            let bytes = (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(StatementKey(text) == StatementKey(String(decoding: bytes, as: UTF8.self)))
            for place in bytes.indices {
                var others = bytes
                others[place] = UInt8(ascii: "A")
                #expect(StatementKey(text) != StatementKey(String(decoding: others, as: UTF8.self)))
            }
            #expect(StatementKey(text) != StatementKey(text + "a"))
        }
    }

    // MARK: The state of a cached statement

    @Test("A statement comes back without its values, which each run must supply again") func bindings() throws {
        let connection = try open(keeping: 8)
        let sql: SQL = "SELECT ?, ?"
        let used = try connection.prepare(sql)
        try used.run([UInt8](repeating: 7, count: 1 << 20), "short")
        let kept = used.prepared
        _ = consume used
        let again = try connection.prepare(sql)
        #expect(again.prepared === kept)
        Refusal.expect(.bindMismatch) { try again.run() }
        // A step without a run would read the values that are still bound.
        #expect(try again.step())
        let row = Row(again.prepared)
        #expect(try [row[0] as Value, row[1]] == [.null, .null])
        #expect(again.end() == 0)
    }

    @Test("A statement that was left in the middle of its rows starts from the first") func unfinished() throws {
        let connection = try open(keeping: 8)
        let sql: SQL = "SELECT value FROM json_each('[1, 2, 3]')"
        do {
            let statement = try connection.prepare(sql)
            try statement.bind()
            #expect(try statement.step())
            #expect(try statement.step())
        }
        #expect(try connection.query(sql) { row in try row[0] as Int } == [1, 2, 3])
    }

    @Test("A statement that failed is cached, and runs")
    func failed() throws {
        let connection = try open(keeping: 8)
        try connection.execute("CREATE TABLE t (a UNIQUE)")
        let sql: SQL = "INSERT INTO t VALUES (?)"
        try connection.execute(sql, 1)
        let kept = try compiled(sql, connection)
        Refusal.expect(.constraint) { try connection.execute(sql, 1) }
        try connection.execute(sql, 2)
        #expect(try compiled(sql, connection) === kept)
        #expect(try connection.value("SELECT count(*) FROM t") == 2)
    }

    @Test("SQL that does not compile leaves the cache unchanged")
    func notCompiled() throws {
        let connection = try open(keeping: 1)
        let kept = try compiled("SELECT 1", connection)
        Refusal.expect(.sqlFailed) { try connection.execute("SELEC") }
        Refusal.expect(.misuse) { try connection.execute("SELECT 2; SELECT 3") }
        #expect(try compiled("SELECT 1", connection) === kept)
    }
}
