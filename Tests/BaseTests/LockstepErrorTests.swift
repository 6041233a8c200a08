import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("What an error is about")
struct LockstepErrorTests {
    private let bare = LockstepError(.sqlFailed, "no such table: t", hint: "create it")

    @Test("An error begins without a context, and its SQLite code is a field of it")
    func initial() {
        #expect(bare.context.isEmpty && bare.sqliteCode == nil)
        let failed = LockstepError(.constraint, "no", sqliteCode: 2067, context: .init(table: "t"))
        #expect(failed.context == .init(table: "t", sqliteCode: 2067))
        #expect(failed.sqliteCode == 2067)
    }

    @Test("A place adds to the context and keeps code, hint and the more exact fields") func located() {
        let inner = bare.located("a.sql:3", context: .init(file: "a.sql", line: 3))
        let outer = inner.located(
            "films", hint: "other", context: .init(file: "b.sql", line: 9, set: "films", version: "2"))
        #expect(outer.message == "films: a.sql:3: no such table: t")
        #expect(outer.code == .sqlFailed && outer.hint == "other")
        #expect(
            outer.context == .init(file: "a.sql", line: 3, set: "films", version: "2"))
        let added = bare.adding(.init(set: "films"))
        #expect(added == LockstepError(bare.code, bare.message, hint: bare.hint, context: .init(set: "films")))
    }

    @Test("A hint names actions in the words of its reader, also once the error has its place") func advice() {
        let path = "a.db"
        let error = LockstepError(.damaged, "page 2", advice: "run \(.verify) on \(path), or \(.restoreBackup("b.db"))")
        #expect(error.hint == "run `Verification` on a.db, or restore b.db with `Restore`")
        let located = error.located(path).adding(.init(file: path))
        #expect(located.hint == error.hint)
        let typed = located.advice?.text { $0 == .verify ? "verify" : "restore" }
        #expect(typed == "run verify on a.db, or restore")
        #expect(error.located(path, hint: "other").advice == "other")
        let outer: LockstepError.Advice = "\(error.advice ?? "none"); or stop"
        #expect(outer.text == "\(error.hint ?? ""); or stop")
    }

    @Test("A part is taken only together with the whole that it belongs to")
    func parts() {
        let outer = LockstepError.Context(
            file: "b", line: 9, set: "s", version: "2", table: "t", column: "c", sqliteCode: 1,
            missing: .init(.function, "f"))
        #expect(LockstepError.Context().completed(by: outer) == outer)
        #expect(outer.completed(by: .init()) == outer)
        let inner = LockstepError.Context(
            file: "a", set: "r", table: "u", sqliteCode: 5,
            missing: .init(.table, "u"))
        #expect(inner.completed(by: outer) == inner)
        let same = LockstepError.Context(file: "b", set: "s", table: "t")
        #expect(same.completed(by: outer) == outer)
        let loose = LockstepError.Context(line: 3, column: "d")
        #expect(
            loose.completed(by: outer)
                == .init(
                    file: "b", line: 3, set: "s", version: "2", table: "t", column: "d",
                    sqliteCode: 1, missing: .init(.function, "f")))
    }

    @Test(
        "An error of SQLite says what is missing",
        arguments: [
            ("SELECT 1 FROM gone", LockstepError.MissingObject(.table, "gone")),
            ("SELECT gone FROM t", .init(.column, "gone")), ("SELECT u.x FROM t AS t", .init(.column, "u.x")),
            ("SELECT gone(1)", .init(.function, "gone")),
            ("SELECT x FROM t ORDER BY x COLLATE gone", .init(.collation, "gone")),
            ("INSERT INTO v VALUES (1)", .init(.table, "main.later")),
        ])
    func missing(_ sql: String, _ object: LockstepError.MissingObject) throws {
        let connection = try Connection.inMemory()
        try connection.run(
            script: """
                CREATE TABLE t (x); CREATE VIEW v AS SELECT x FROM t;
                CREATE TRIGGER g INSTEAD OF INSERT ON v BEGIN INSERT INTO later VALUES (1); END;
                """)
        do {
            try connection.execute(SQL(verbatim: sql))
            Issue.record("\(sql) ran")
        } catch {
            #expect(error.context.missing == object, "\(error)")
        }
    }

    @Test("Other errors of SQLite say nothing of the kind")
    func notMissing() throws {
        let connection = try Connection.inMemory()
        for sql in ["SELECT", "SELECT 1 FROM t WHERE", "SELECT json('no such table: x')"] {
            do {
                _ = try connection.query(SQL(verbatim: sql)) { _ in 0 }
                Issue.record("\(sql) ran")
            } catch let error as LockstepError {
                #expect(error.context.missing == nil, "\(error)")
            }
        }
    }
}
