import Testing

@testable import LockstepPostgres

@Suite("Cutting PostgreSQL's scripts into statements")
struct StatementCutterTests {
    private func cut(_ sql: String) throws -> [String] {
        try StatementCutter.statements(sql).map(\.sql)
    }

    @Test("A semicolon ends a statement, and not inside quotes, comments and parentheses") func semicolons() throws {
        #expect(try cut("a; b ;\n;; /* ; */ c -- ;\n") == ["a", "b", "c"])
        #expect(
            try cut("DO $x$ a; $y$; b $x$; SELECT 'it''s;', E'\\';', \"q;\"") == [
                "DO $x$ a; $y$; b $x$", "SELECT 'it''s;', E'\\';', \"q;\"",
            ])
        #expect(
            try cut("CREATE RULE r AS ON INSERT TO t DO (UPDATE a SET b = 1; DELETE FROM c); d")
                == [
                    "CREATE RULE r AS ON INSERT TO t DO (UPDATE a SET b = 1; DELETE FROM c)",
                    "d",
                ])
        #expect(try cut("") == [] && cut(" -- a\n/* b */ ;") == [])
    }

    @Test(
        "The body of a routine in standard SQL is one statement, and BEGIN elsewhere begins a transaction"
    )
    func routines() throws {
        let body =
            "CREATE OR REPLACE FUNCTION f(a int) RETURNS int BEGIN ATOMIC SELECT CASE WHEN a > 1 THEN 1 ELSE 2 END; SELECT 3; END"
        #expect(try cut("\(body);\nSELECT 1;") == [body, "SELECT 1"])
        let procedure = "CREATE PROCEDURE p() BEGIN ATOMIC INSERT INTO t VALUES (1); END"
        #expect(try cut("\(procedure); x") == [procedure, "x"])
        #expect(
            try cut("BEGIN; SELECT CASE WHEN true THEN 1 END; END;") == [
                "BEGIN", "SELECT CASE WHEN true THEN 1 END", "END",
            ])
        #expect(
            try cut("CREATE TABLE begin (a int); b") == ["CREATE TABLE begin (a int)", "b"])
    }

    @Test("A statement has the line of its first token and its words in lower case")
    func lines() throws {
        let found = try StatementCutter.statements("\n-- a\nCREATE\n TABLE T ();\n/*\n*/ DROP TABLE t")
        #expect(found.map(\.line) == [3, 6])
        #expect(found.map(\.words) == [["create", "table", "t"], ["drop", "table", "t"]])
    }

    @Test(
        "A command of psql is noticed where a statement begins, and a backslash elsewhere is text"
    )
    func backslashes() throws {
        #expect(throws: StatementCutter.Backslash.self) {
            try StatementCutter.statements("a;\n\\c films")
        }
        #expect(try cut("SELECT '\\d', $$\n\\q$$") == ["SELECT '\\d', $$\n\\q$$"])
    }
}
