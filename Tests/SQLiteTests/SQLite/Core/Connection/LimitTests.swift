import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Limits of a connection")
struct LimitTests {
    private static func open(_ limits: [Limit: Int]) throws -> Connection {
        var options = ConnectionOptions()
        options.limits = limits
        return try Connection.inMemory(options)
    }

    private static func list(_ piece: String, _ count: Int, _ separator: String = ", ") -> String {
        repeatElement(piece, count: count).joined(separator: separator)
    }

    /// The cases within and above a limit of 20.
    private static let borders: [(limit: Limit, allowed: String, refused: String)] = [
        (.columns, "SELECT \(list("1", 20))", "SELECT \(list("1", 21))"),
        (.compoundTerms, list("SELECT 1", 20, " UNION "), list("SELECT 1", 21, " UNION ")),
        (.functionArguments, "SELECT max(\(list("1", 20)))", "SELECT max(\(list("1", 21)))"),
        (.parameters, "SELECT 1 WHERE ?20 IS NULL", "SELECT 1 WHERE ?21 IS NULL"),
        (.expressionDepth, "SELECT \(list("1", 15, "+"))", "SELECT \(list("1", 30, "+"))"),
        (.patternLength, "SELECT 'a' LIKE '\(list("a", 20, ""))'", "SELECT 'a' LIKE '\(list("a", 21, ""))'"),
    ]

    @Test("A value above a limit is refused, and one at it is accepted", arguments: 0..<6)
    func borders(_ index: Int) throws {
        let (limit, allowed, refused) = Self.borders[index]
        let bounded = try Self.open([limit: 20])
        let run = { (sql: String, connection: borrowing Connection) throws in
            let statement = try connection.prepare(SQL(verbatim: sql))
            let count = Int(statement.prepared.parameterCount)
            try statement.bind(values: Array(repeating: .null, count: count))
            while try statement.step() {}
        }
        try run(allowed, bounded)
        Refusal.expect(.sqlFailed) { try run(refused, bounded) }
        try run(allowed, bounded)
        try run(refused, Connection.inMemory())
    }

    @Test("A value that is too long is refused when bound, computed or stored")
    func valueLength() throws {
        let connection = try Self.open([.valueLength: 1000])
        try connection.execute("CREATE TABLE t (a, b)")
        let fits = [UInt8](repeating: 1, count: 900), long = [UInt8](repeating: 1, count: 1001)
        try connection.execute("INSERT INTO t (a) VALUES (?)", fits)
        Refusal.expect(.sqlFailed) { try connection.execute("INSERT INTO t (a) VALUES (?)", long) }
        Refusal.expect(.sqlFailed) {
            try connection.execute("INSERT INTO t VALUES (?, ?)", fits, fits)
        }
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT zeroblob(1001)") }
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT ?", ZeroBytes(1001)) }
        let text = String(repeating: "hunter2 ", count: 200)
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("SELECT \(text)")
        }
        #expect(!error.description.contains("hunter2"))
        #expect(try connection.value("SELECT count(*) FROM t") == 1)
    }

    @Test("SQL that is too long is refused, and no part of it runs")
    func sqlLength() throws {
        let connection = try Self.open([.sqlLength: 200])
        try connection.execute("CREATE TABLE t (a)")
        let long = SQL(verbatim: "INSERT INTO t VALUES (1)" + String(repeating: " ", count: 200))
        Refusal.expect(.sqlFailed) { try connection.execute(long) }
        #expect(try connection.value("SELECT count(*) FROM t") == 0)
        try connection.write { try $0.execute("INSERT INTO t VALUES (1)") }
        #expect(try connection.value("SELECT count(*) FROM t") == 1)
    }

    @Test("Statements with too many instructions and triggers with too great a depth are refused")
    func programs() throws {
        let short = try Self.open([.instructions: 50])
        let sql: SQL = "SELECT \(verbatim: Self.list("random()", 100))"
        Refusal.expect(.sqlFailed) { try short.execute(sql) }
        #expect(try short.value("SELECT 1") == 1)
        let shallow = try Self.open([.triggerDepth: 5])
        try shallow.execute("CREATE TABLE t (a)")
        try shallow.execute("PRAGMA recursive_triggers = ON")
        try shallow.run(
            script: """
                CREATE TRIGGER more AFTER INSERT ON t WHEN new.a < 20
                BEGIN INSERT INTO t VALUES (new.a + 1); END
                """)
        Refusal.expect(.sqlFailed) { try shallow.execute("INSERT INTO t VALUES (0)") }
        #expect(try shallow.value("SELECT count(*) FROM t") == 0)
        try shallow.execute("INSERT INTO t VALUES (18)")
        #expect(try shallow.value("SELECT count(*) FROM t") == 3)
    }

    @Test("No limit can be raised above SQLite's compile-time limit", arguments: Limit.allCases)
    func ceiling(_ limit: Limit) throws {
        let connection = try Self.open([limit: .max])
        #expect(try connection.value("SELECT 1") == 1)
        if limit == .parameters {
            Refusal.expect(.sqlFailed) { _ = try connection.prepare("SELECT ?2147483647") }
        }
    }

    @Test("Every connection of a store has the limits")
    func stores() throws {
        let scratch = try DatabaseScratch()
        var options = StoreOptions()
        options.connection.limits = [.columns: 20]
        let store = try Store.create(scratch.path, rawKey: scratch.key(), options: options)
        let sql = SQL(verbatim: "SELECT \(Self.list("1", 21))")
        Refusal.expect(.sqlFailed) { try store.blocking.write { try $0.execute(sql) } }
        Refusal.expect(.sqlFailed) { try store.blocking.read { try $0.execute(sql) } }
    }
}
