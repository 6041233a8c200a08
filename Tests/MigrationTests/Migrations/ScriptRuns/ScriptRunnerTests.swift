import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Migration scripts")
struct ScriptRunnerTests {
    /// Runs a way up that must fail, and checks that it leaves nothing.
    private func failure(_ sql: String) throws -> LockstepError {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE kept (x INTEGER)")
        try connection.execute("INSERT INTO kept VALUES (1)")
        let before = try Scratch.schema(connection)
        var thrown: LockstepError?
        do {
            try Scratch.migrate(connection, sql)
        } catch let error as LockstepError {
            thrown = error
        }
        #expect(try Scratch.schema(connection) == before)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM kept") == 1)
        let isOpen = connection.isInTransaction
        #expect(!isOpen)
        return try #require(thrown, "it was accepted")
    }

    @Test("A syntax error in the third statement names file, line and statement") func thirdStatement() throws {
        let error = try failure("CREATE TABLE a (x);\n\n-- about b\nCREATE TABLE b (x);\nCREATE TABEL c (x);\n")
        #expect(error.code == .migrationFailed)
        #expect(error.message.contains("0001_step.sql:6:"), "\(error.message)")
        #expect(error.message.contains("TABEL"), "\(error.message)")
        #expect(error.hint?.contains("no part of this version was applied") == true)
    }

    @Test("Values of a failing statement stay out of the message")
    func redaction() throws {
        let error = try failure("INSERT INTO nowhere VALUES ('hunter2', 4711, x'C0FFEE');")
        #expect(error.message.contains("nowhere"))
        for value in ["hunter2", "4711", "C0FFEE"] { #expect(!error.message.contains(value)) }
    }

    @Test(
        "Statements that end the transaction, change the key or leak plaintext are refused",
        arguments: [
            "CREATE TABLE a (x); COMMIT;", "COMMIT;", "END;", "ROLLBACK;", "BEGIN;", "BEGIN IMMEDIATE;",
            "PRAGMA rekey = 'x';", "PRAGMA Key = 'x';", "PRAGMA temp_store = FILE;", "PRAGMA cipher_page_size = 1024;",
            "ATTACH 'other.db' AS other;", "PRAGMA writable_schema = ON;",
            "PRAGMA foreign_keys = OFF;", "PRAGMA journal_mode = DELETE;",
        ])
    func refused(sql: String) throws {
        let error = try failure(sql)
        #expect(error.code == .migrationFailed)
        #expect(error.message.contains("refused") || error.message.contains("does nothing"))
        #expect(error.hint != nil)
    }

    @Test(
        "Unfinished statements are errors",
        arguments: [
            "INSERT INTO kept VALUES ('unfinished);", "CREATE TABLE a (x",
            "CREATE TRIGGER t AFTER INSERT ON kept BEGIN SELECT 1;", "/* no end", "CREATE TABLE a (x); 'stray",
        ])
    func unfinished(sql: String) throws {
        // SQLite lets a comment run to the end of its input.
        if sql.hasPrefix("/*") {
            let connection = try Connection.inMemory()
            #expect(try Scratch.migrate(connection, sql).steps.map(\.statements) == [0])
        } else {
            #expect(try failure(sql).code == .migrationFailed)
        }
    }

    @Test(
        "Triggers with semicolons and CASE … END, odd names and a missing last semicolon are split right"
    )
    func splitting() throws {
        let connection = try Connection.inMemory()
        let report = try Scratch.migrate(
            connection,
            """
            CREATE TABLE "a;b" (x TEXT DEFAULT ';', y);;
            CREATE TRIGGER "t;" AFTER INSERT ON "a;b" BEGIN
                UPDATE "a;b" SET y = CASE WHEN new.x = 'END;' THEN 1 ELSE 2 END; -- ; END;
                SELECT ';';
            END;
            /* ; */ INSERT INTO "a;b" (x) VALUES ('END;');
            INSERT INTO "a;b" (x) VALUES ('other')
            """)
        #expect(report.steps.map(\.statements) == [4])
        #expect(try Scratch.int(connection, "SELECT count(*) FROM \"a;b\"") == 2)
    }

    @Test("An empty script is a version like any other")
    func empty() throws {
        let connection = try Connection.inMemory()
        for script in ["", " \n\n", ";;", "-- only words"] {
            let fresh = try Connection.inMemory()
            #expect(try Scratch.migrate(fresh, script).steps.map(\.statements) == [0])
        }
        _ = connection
    }

    @Test("Statements that return rows run to their end")
    func rows() throws {
        let connection = try Connection.inMemory()
        try Scratch.migrate(
            connection,
            """
            CREATE TABLE a (x INTEGER);
            INSERT INTO a VALUES (1), (2) RETURNING x;
            SELECT x FROM a;
            """)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM a") == 2)
    }

    @Test("Line numbers count CRLF files and statements of several lines")
    func lines() throws {
        let error = try failure("CREATE TABLE a (\r\n    x,\r\n    y\r\n);\r\n\r\nnonsense;\r\n")
        #expect(error.message.contains(":7:"), "\(error.message)")
    }
}
