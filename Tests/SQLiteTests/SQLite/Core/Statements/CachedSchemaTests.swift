import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Cached statements whose tables have changed")
struct CachedSchemaTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        try connection.execute("INSERT INTO t VALUES (1, 'x')")
    }

    private func columns(_ connection: borrowing Connection) throws -> [String]? {
        try connection.first("SELECT * FROM t") { row in (0..<row.count).map { row.name(of: $0) } }
    }

    @Test("SELECT * sees an added column, and finds it by its name")
    func addedColumn() throws {
        let connection = try scratch.open()
        #expect(try columns(connection) == ["id", "a"])
        #expect(try connection.first("SELECT * FROM t") { row in try row["a"] as String } == "x")
        try connection.execute("ALTER TABLE t ADD COLUMN extra DEFAULT 5")
        #expect(try columns(connection) == ["id", "a", "extra"])
        #expect(try connection.first("SELECT * FROM t") { row in try row["extra"] as Int } == 5)
    }

    @Test("A name refers to another column after the columns have changed places") func swappedColumns() throws {
        let connection = try scratch.open()
        let sql: SQL = "SELECT * FROM v"
        try connection.execute("CREATE VIEW v AS SELECT 1 AS a, 2 AS b")
        let read = { (connection: borrowing Connection) throws -> [Int]? in
            try connection.first(sql) { row in [try row["a"], try row["b"]] }
        }
        #expect(try read(connection) == [1, 2])
        try connection.execute("DROP VIEW v")
        try connection.execute("CREATE VIEW v AS SELECT 20 AS b, 10 AS a")
        #expect(try read(connection) == [10, 20])
    }

    @Test("A statement in use sees them too, between two of its runs")
    func inHand() throws {
        let connection = try scratch.open()
        let statement = try connection.prepare("SELECT * FROM t")
        #expect(try statement.first { row in row.count } == 2)
        #expect(statement.columnNames == ["id", "a"])
        try connection.execute("ALTER TABLE t RENAME COLUMN a TO b")
        #expect(try statement.first { row in try row["b"] as String } == "x")
        try statement.forEach { row in
            Refusal.expect(.decodeMismatch) { _ = try row["a"] as String }
        }
        #expect(statement.columnNames == ["id", "b"])
    }

    @Test("Another connection's change is seen as well")
    func otherConnection() throws {
        let connection = try scratch.open()
        let other = try scratch.open()
        #expect(try columns(connection) == ["id", "a"])
        try other.execute("ALTER TABLE t ADD COLUMN more")
        #expect(try columns(connection) == ["id", "a", "more"])
    }

    @Test("A change that is rolled back is not seen afterwards")
    func rolledBack() throws {
        let connection = try scratch.open()
        #expect(try columns(connection) == ["id", "a"])
        #expect(throws: Stop.self) {
            try connection.write { connection in
                try connection.execute("ALTER TABLE t ADD COLUMN extra")
                #expect(try columns(connection) == ["id", "a", "extra"])
                throw Stop()
            }
        }
        #expect(try columns(connection) == ["id", "a"])
    }

    @Test("A dropped table is an error; created again, it is read")
    func dropped() throws {
        let connection = try scratch.open()
        #expect(try columns(connection) == ["id", "a"])
        try connection.execute("DROP TABLE t")
        Refusal.expect(.sqlFailed) { _ = try columns(connection) }
        try connection.execute("CREATE TABLE t (z)")
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(try columns(connection) == ["z"])
    }

    @Test("A cached statement's values survive recompilation")
    func values() throws {
        let connection = try scratch.open()
        let statement = try connection.prepare("SELECT ?, a, ? FROM t")
        let short = "kept in the buffer", long = String(repeating: "l", count: 10_000)
        for column in 0..<3 {
            try connection.execute("ALTER TABLE t ADD COLUMN \(name: "c\(column)")")
            let back = try statement.map(short, long) { row in [try row[0] as String, try row[2]] }
            #expect(back == [[short, long]])
        }
    }

    @Test("The tables that a cached statement uses are updated when a trigger is added") func observedTrigger() throws {
        let connection = try scratch.open()
        try connection.execute("CREATE TABLE log (n INTEGER PRIMARY KEY) WITHOUT ROWID")
        let insert: SQL = "INSERT INTO t (a) VALUES (?)"
        try connection.execute(insert, "kept")
        try connection.execute(
            """
            CREATE TRIGGER note AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.id); END
            """)
        connection.core.tracker.setOn(true)
        try connection.execute(insert, "again")
        let changes = connection.core.tracker.take()
        #expect(try connection.value("SELECT count(*) FROM log") == 1)
        #expect(changes.tables.keys.contains("t"))
        #expect(changes.tables.keys.contains("log"))
    }
}
