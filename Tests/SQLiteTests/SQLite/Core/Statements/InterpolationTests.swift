import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Interpolated SQL")
final class InterpolationTests {
    private let connection: Connection

    init() throws {
        connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        try connection.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')")
    }

    private func ids(_ condition: SQL) throws -> [Int] {
        try connection.query("SELECT id FROM t WHERE \(condition) ORDER BY id") { row in
            try row[0]
        }
    }

    // MARK: Values

    @Test(
        "No text turns into SQL, whatever its content",
        arguments: [
            "'; DROP TABLE t; --", "' OR '1'='1", "\"", "'", "''", "`", "]", "?", ":x", "\\",
            "x' --", "*/ DROP TABLE t /*", "\0", "a\0' OR 1", "", "\u{FF07} OR 1=1", "\n;\n",
        ])
    func injection(_ text: String) throws {
        try connection.execute("INSERT INTO t VALUES (9, \(text))")
        let back: String? = try connection.value("SELECT a FROM t WHERE a = \(text) AND id = \(9)")
        #expect(back.map { Array($0.utf8) } == Array(text.utf8))
        #expect(try connection.value("SELECT count(*) FROM t") == 4)
        let sql: SQL = "SELECT \(text)"
        #expect(sql.text == "SELECT ?")
    }

    @Test("Values of every type keep their storage class, and nil is NULL")
    func types() throws {
        let types = try connection.query(
            """
            SELECT typeof(\(1)), typeof(\(Int64.min)), typeof(\(true)), typeof(\(0.5)),
                typeof(\("x")), typeof(\("xy".dropFirst())), typeof(\([UInt8]())),
                typeof(\(nil as Int?)), typeof(\("x" as String?)), typeof(\(Value.null)),
                typeof(\(Value.blob([1]))), typeof(\(ZeroBytes(2)))
            """
        ) { row in try (0..<row.count).map { try row[$0] as String } }
        #expect(
            types == [
                [
                    "integer", "integer", "integer", "real", "text", "text", "blob", "null", "text",
                    "null", "blob", "blob",
                ]
            ])
    }

    @Test("A value inside a quoted literal is refused, since it cannot be bound there") func quoted() {
        Refusal.expect(.bindMismatch) {
            _ = try connection.value("SELECT 'id \(7)'", as: String.self)
        }
        Refusal.expect(.bindMismatch) { _ = try ids("a = '\("one")' OR id = \(1)") }
        Refusal.expect(.bindMismatch) { _ = try ids("id = 1 /* \(2) */") }
        Refusal.expect(.bindMismatch) { _ = try ids("id = 1 -- \(2)") }
    }

    @Test("Values after the SQL in addition to interpolated ones are misuse, and nothing runs") func twice() throws {
        Refusal.expect(.misuse) {
            try connection.execute("DELETE FROM t WHERE id = \(1) OR id = ?", 2)
        }
        Refusal.expect(.misuse) { try connection.execute("DELETE FROM t WHERE id = \(1)", 1) }
        Refusal.expect(.misuse) {
            try connection.execute(("DELETE FROM t WHERE id = :a" as SQL).with(named: ["a": 1]), 1)
        }
        #expect(try connection.value("SELECT count(*) FROM t") == 3)
    }

    // MARK: Lists

    @Test("A list has one parameter per value, and an empty list matches no row")
    func lists() throws {
        #expect(try ids("id IN \(list: [Int]())") == [])
        #expect(try ids("id NOT IN \(list: [Int]())") == [1, 2, 3])
        #expect(try ids("id IN \(list: [2])") == [2])
        #expect(try ids("id IN \(list: [3, 1, 7, 3])") == [1, 3])
        #expect(try ids("id IN \(list: 2...9)") == [2, 3])
        #expect(try ids("id IN \(list: Set(1...1000))") == [1, 2, 3])
        #expect(try ids("a IN \(list: ["one", "x') OR (1=1"])") == [1])
        #expect(try ids("id IN \(list: [Int?.none, 2])") == [2])
        let sql: SQL = "\(list: [1, 2, 3]) \(list: [Int]()) \(list: [1])"
        #expect(sql.text == "(?, ?, ?) () (?)")
    }

    @Test("Lists among other values keep the order")
    func listOrder() throws {
        let row = try connection.first(
            "SELECT \("a"), \("c") IN \(list: ["b", "c"]), \("d"), \("e") IN \(list: ["f"]), \("g")"
        ) { row in
            [try row[0] as Value, try row[1], try row[2], try row[3], try row[4]]
        }
        #expect(row == [.text("a"), .integer(1), .text("d"), .integer(0), .text("g")])
    }

    // MARK: Names and text

    @Test(
        "A name is quoted, so that it can only be a name",
        arguments: ["select", "a b", "a\"b", "a; DROP TABLE t; --", "'", "é", "?"])
    func names(_ name: String) throws {
        try connection.execute("CREATE TABLE \(name: name) (\(name: name) INTEGER)")
        try connection.execute("INSERT INTO \(name: name) (\(name: name)) VALUES (\(5))")
        let back: Int? = try connection.value("SELECT \(name: name) FROM \(name: name)")
        #expect(back == 5)
        #expect(try connection.value("SELECT count(*) FROM t") == 3)
    }

    @Test("A quoted name without a column is an error, not a text")
    func strangeName() {
        Refusal.expect(.sqlFailed) {
            _ = try connection.value("SELECT \(name: "nosuch") FROM t", as: String.self)
        }
        Refusal.expect(.sqlFailed) { _ = try ids("a = \"\("one")\"") }
    }

    @Test("Verbatim text stays unchanged, between values too")
    func verbatim() throws {
        let order = "DESC"
        let all = try connection.query(
            "SELECT id FROM t WHERE id > \(1) ORDER BY id \(verbatim: order) LIMIT \(5)"
        ) { row in try row[0] as Int }
        #expect(all == [3, 2])
        let sql: SQL = "a\(verbatim: "?':")b"
        #expect(sql.text == "a?':b")
    }

    // MARK: Fragments

    @Test("Nested fragments keep their values in order of appearance")
    func fragments() throws {
        let low: SQL = "id >= \(2)"
        let both: SQL = "(\(low) AND a <> \("three"))"
        #expect(both.text == "(id >= ? AND a <> ?)")
        #expect(try ids("id < \(10) AND \(both) AND \(7) = \(7)") == [2])
        #expect(try ids("\(both) OR \(both) OR id IN \(list: [1])") == [1, 2])
        let none: SQL = "1"
        #expect(try ids("\(none) AND \(low)") == [2, 3])
    }

    @Test("A fragment with named values contributes none of them, and the whole statement is refused")
    func namedFragment() {
        let named = ("id = :id" as SQL).with(named: ["id": 1])
        Refusal.expect(.bindMismatch) { _ = try ids("\(named)") }
        Refusal.expect(.bindMismatch) { _ = try ids("\(named) AND a = \("one")") }
    }

    // MARK: Running again

    @Test("A prepared statement runs again with the interpolated values")
    func again() throws {
        let statement = try connection.prepare("INSERT INTO t (a) VALUES (\("x")) RETURNING id")
        for id in 4...6 {
            #expect(try statement.first { row in try row[0] as Int } == id)
        }
        try statement.run()
        Refusal.expect(.misuse) { try statement.run("y") }
        try statement.run()
        #expect(try connection.value("SELECT count(*) FROM t WHERE a = 'x'") == 5)
    }

    @Test("The same SQL with other values is the same statement with other values") func otherValues() throws {
        for id in 1...3 {
            let text: String? = try connection.value("SELECT a FROM t WHERE id = \(id)")
            #expect(text == ["one", "two", "three"][id - 1])
        }
    }

    // MARK: Descriptions

    @Test("A description shows neither values nor literals")
    func description() {
        let secret = "hunter2"
        let part: SQL = "b = \(secret)"
        let sql: SQL = "SELECT 'hunter2' WHERE a = \(secret) AND \(part) AND c = 42"
        #expect("\(sql)" == "SELECT ? WHERE a = ? AND b = ? AND c = ?")
        let named = sql.with(named: ["x": secret])
        #expect("\(named)" == "\(sql)")
    }

    @Test("Errors about interpolated SQL show no value")
    func errors() throws {
        let secret = "hunter2"
        for sql in [
            "SELECT '\(secret)'", "SELECT nosuch + \(secret)",
            "INSERT INTO t VALUES (1, \(secret))",
            "INSERT INTO t VALUES (\(secret), 1)", "SELECT json(\(secret))",
        ] as [SQL] {
            let error = try #require(throws: LockstepError.self) { try connection.execute(sql) }
            #expect(!error.description.contains(secret))
        }
    }
}
