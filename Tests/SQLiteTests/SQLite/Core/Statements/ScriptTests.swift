import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Scripts of many statements")
final class ScriptTests {
    private let connection: Connection

    init() throws {
        connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (a INTEGER UNIQUE)")
    }

    private func numbers() throws -> [Int] {
        try connection.query("SELECT a FROM t ORDER BY a") { row in try row[0] }
    }

    @Test(
        "Comments, space and semicolons are not statements, wherever they appear",
        arguments: [
            "", " ", ";", ";;\n;", "-- nothing", "/* nothing */", "/* open", "-- a\n/* b */ ; -- c",
            "\u{FEFF}", "\n\n\t\r\n",
        ])
    func empty(_ script: String) throws {
        try connection.run(script: script)
        #expect(try numbers() == [])
    }

    @Test("Statements run in order, each on the result of those before it")
    func order() throws {
        try connection.run(
            script: """
                -- The first; not the last.
                INSERT INTO t VALUES (1);; INSERT INTO t SELECT a + 1 FROM t; /* ; */
                CREATE TABLE "semi;colon" (b DEFAULT ';');
                INSERT INTO "semi;colon" DEFAULT VALUES;
                INSERT INTO t SELECT length(b) + 6 FROM "semi;colon";
                SELECT a FROM t; -- its rows are nobody's
                DELETE FROM t WHERE a = 1
                """)
        #expect(try numbers() == [2, 7])
    }

    @Test("A trigger's statements belong to the trigger")
    func triggers() throws {
        try connection.run(
            script: """
                CREATE TABLE log (a);
                CREATE TRIGGER note AFTER INSERT ON t WHEN new.a > 0 BEGIN
                    INSERT INTO log VALUES (CASE WHEN new.a > 1 THEN 'END;' ELSE '''' END);
                    UPDATE log SET a = a || '!'; -- END;
                END;
                INSERT INTO t VALUES (1);
                INSERT INTO t VALUES (2);
                """)
        let log = try connection.query("SELECT a FROM log ORDER BY rowid") { row in
            try row[0] as String
        }
        #expect(log == ["'!!", "END;!"])
    }

    @Test(
        "An error ends the script: earlier statements have run, later ones have not",
        arguments: [
            ("SELEC 1", LockstepError.Code.sqlFailed), ("INSERT INTO t VALUES (1)", .constraint),
            ("SELECT * FROM nosuch", .sqlFailed), ("PRAGMA rekey = 'hunter2'", .denied),
            ("ATTACH 'hunter2' AS other", .denied),
            ("INSERT INTO t VALUES (?)", .bindMismatch), ("SELECT json('hunter2')", .sqlFailed),
            ("'hunter2", .sqlFailed),
        ])
    func error(_ statement: String, _ code: LockstepError.Code) throws {
        let script = "INSERT INTO t VALUES (1); \(statement); INSERT INTO t VALUES (2);"
        let error = try #require(throws: LockstepError.self) { try connection.run(script: script) }
        #expect(error.code == code)
        #expect(!error.description.contains("hunter2"))
        #expect(try numbers() == [1])

        try connection.execute("DELETE FROM t")
        Refusal.expect(code) { try connection.write { try $0.run(script: script) } }
        #expect(try numbers() == [])
        #expect(connection.isInTransaction == false)
    }

    @Test(
        "Inside a write a script cannot end the transaction, and all of it is undone",
        arguments: ["COMMIT", "ROLLBACK", "END", "BEGIN", "RELEASE lockstep_savepoint"])
    func transactions(_ statement: String) throws {
        Refusal.expect(.denied) {
            try connection.write { connection in
                try connection.run(script: "INSERT INTO t VALUES (1); \(statement); INSERT INTO t VALUES (2)")
            }
        }
        #expect(try numbers() == [])
    }

    @Test("Outside a write a script can have a transaction of its own")
    func ownTransaction() throws {
        try connection.run(
            script:
                "BEGIN; INSERT INTO t VALUES (1); ROLLBACK; BEGIN; INSERT INTO t VALUES (2); COMMIT"
        )
        #expect(try numbers() == [2])
        #expect(connection.isInTransaction == false)
    }

    @Test("A script's later statements see its schema changes")
    func schema() throws {
        try connection.run(
            script: """
                ALTER TABLE t ADD COLUMN b; UPDATE t SET b = 1; DROP TABLE t;
                CREATE TABLE t (a, c); INSERT INTO t (c) VALUES (5)
                """)
        #expect(try connection.value("SELECT c FROM t") == 5)
    }

    @Test("A script of ten thousand statements runs")
    func long() throws {
        let script = (0..<10_000).map { "INSERT INTO t VALUES (\($0));" }.joined(separator: "\n")
        try connection.write { try $0.run(script: script) }
        #expect(try connection.value("SELECT count(*) FROM t") == 10_000)
    }

    @Test("Scripts leave nothing in the statement cache")
    func cache() throws {
        var options = ConnectionOptions()
        options.cachedStatements = 1
        let connection = try Connection.inMemory(options)
        let kept = try connection.prepare("SELECT 1").prepared
        try connection.run(script: "SELECT 2; SELECT 3")
        #expect(try connection.prepare("SELECT 1").prepared === kept)
    }

    @Test("A zero byte is refused or skipped, and never causes an endless loop")
    func zeroByte() throws {
        let script = Array("SELECT 1\0; DROP TABLE t".utf8) + [0]
        // Called directly: run(script:) would not return if this made no progress.
        let zero = 8
        let end = try? connection.runStatement(of: script, from: zero)
        #expect(end.map { $0 > zero } ?? true)
        #expect(try numbers() == [])
    }
}
