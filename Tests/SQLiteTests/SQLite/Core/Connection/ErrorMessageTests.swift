import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("The translation of SQLite's errors")
struct ErrorMessageTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE NOT NULL, n INTEGER) STRICT")
        try connection.execute("INSERT INTO t VALUES (1, 'one', 1)")
        try connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    }

    @Test(
        "Each failure has its code",
        arguments: [
            ("INSERT INTO t VALUES (1, 'x', 1)", LockstepError.Code.constraint),
            ("INSERT INTO t (a) VALUES ('one')", .constraint), ("INSERT INTO t (n) VALUES (1)", .constraint),
            ("INSERT INTO t (a, n) VALUES ('x', 'y')", .constraint),
            ("SELECT * FROM nosuch", .sqlFailed),
            ("SELEC 1", .sqlFailed), ("SELECT abs(-9223372036854775808)", .sqlFailed),
            ("INSERT INTO t VALUES ('text', 'x', 1)", .constraint), ("ATTACH '' AS x", .denied),
        ])
    func codes(_ sql: String, _ code: LockstepError.Code) throws {
        let connection = try scratch.open()
        let error = try #require(throws: LockstepError.self) {
            try connection.execute(SQL(verbatim: sql))
        }
        #expect(error.code == code)
        #expect(code == .denied || error.sqliteCode.map { $0 & 0xFF != 0 } == true)
    }

    @Test("A failed constraint names its columns, and shows the SQL without its values") func constraint() throws {
        let connection = try scratch.open()
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("INSERT INTO t (a, n) VALUES ('one', 77) -- note")
        }
        #expect(error.message == "UNIQUE constraint failed: t.a in: INSERT INTO t (a, n) VALUES (?, ?)")
        #expect(error.sqliteCode == 2067)
        #expect(error.context.sqliteCodeName == "SQLITE_CONSTRAINT_UNIQUE")
    }

    @Test("A full database is reported as full")
    func full() throws {
        let connection = try scratch.open()
        try connection.execute("PRAGMA max_page_count = 20")
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("INSERT INTO t (a) VALUES (hex(zeroblob(100000)))")
        }
        #expect(error.code == .full && error.hint != nil)
        #expect(try connection.value("SELECT count(*) FROM t") == 1)
    }

    /// SQLite quotes parts of a statement's literals in its own messages.
    @Test(
        "SQLite's message does not reveal a literal of the SQL",
        arguments: [
            "SELECT 1 FROM 'a' 'b' 'hunter2'", "SELECT a FROM t WHERE a = 'hunter2' 'x'",
            "SELECT 'hunter2", "SELECT x'hunter2'", "INSERT INTO t (a) VALUES ('x' 'hunter2')",
            "'hunter2' SELECT 1", "SELECT json_extract('{}', 'hunter2')", "SELECT json('hunter2')",
            "SELECT * FROM words WHERE words MATCH 'hunter2:x'", "SELECT 'x' LIMIT 'hunter2'",
            "SELECT * FROM words WHERE words MATCH '\"a\" hunter2)'", "SELECT abs('hunter2', 1)",
        ])
    func literals(_ sql: String) throws {
        let connection = try scratch.open()
        let error = try #require(throws: LockstepError.self) {
            try connection.execute(SQL(verbatim: sql))
        }
        #expect(!error.description.contains("hunter2"))
    }

    @Test(
        "It does not reveal a bound value either",
        arguments: [
            "SELECT * FROM words WHERE words MATCH ?", "SELECT json_extract('{}', ?)",
            "SELECT json(?)", "INSERT INTO t (a, n) VALUES ('x', ?)", "SELECT 1 LIMIT ?",
            "INSERT INTO t (id, a) VALUES (?, 'x')", "INSERT INTO words (words) VALUES (?)",
        ])
    func boundValues(_ sql: String) throws {
        let connection = try scratch.open()
        var failures = 0
        for value in ["hunter2", "hunter2:x", "\"hunter2", "x hunter2)", "$.hunter2["] {
            do {
                try connection.execute(SQL(verbatim: sql), value)
            } catch {
                failures += 1
                #expect(!error.description.contains("hunter2"))
            }
        }
        #expect(failures > 0)
    }

    @Test("Names in SQLite's messages stay, because they help the reader")
    func names() throws {
        let connection = try scratch.open()
        try connection.run(
            script: """
                CREATE TABLE u (a, b);
                CREATE TRIGGER w AFTER UPDATE ON u WHEN new.b = 'x' BEGIN SELECT 1; END;
                CREATE TABLE v (a REFERENCES nowhere (id));
                """)
        for (sql, wanted) in [
            ("CREATE VIRTUAL TABLE f USING fts5 (x, tokenize = 'nosuch')", "no such tokenizer: nosuch"),
            ("INSERT INTO v VALUES (1)", "no such table: main.nowhere"),
            ("ALTER TABLE u DROP COLUMN b", "error in trigger w after drop column: no such column: new.b"),
            ("SELECT * FROM nosuch", "no such table: nosuch"), ("SELECT nosuch FROM t", "no such column: nosuch"),
            ("SELECT a FORM t", "near \"t\": syntax error"), ("SELECT nosuch('x')", "no such function: nosuch"),
        ] {
            let error = try #require(throws: LockstepError.self) {
                try connection.execute(SQL(verbatim: sql))
            }
            #expect(error.message.hasPrefix(wanted))
        }
    }
}
