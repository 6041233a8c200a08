import Testing

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

    @Test("A place adds to the context and keeps code, hint and the more exact fields")
    func located() {
        let inner = bare.located("a.sql:3", context: .init(file: "a.sql", line: 3))
        let outer = inner.located(
            "films", hint: "other",
            context: .init(file: "b.sql", line: 9, set: "films", version: "2"))
        #expect(outer.message == "films: a.sql:3: no such table: t")
        #expect(outer.code == .sqlFailed && outer.hint == "other")
        #expect(
            outer.context == .init(file: "a.sql", line: 3, set: "films", version: "2"))
        let added = bare.adding(.init(set: "films"))
        #expect(
            added
                == LockstepError(
                    bare.code, bare.message, hint: bare.hint, context: .init(set: "films")))
    }

    @Test("A part is taken only together with the whole that it belongs to")
    func parts() {
        let outer = LockstepError.Context(
            file: "b", line: 9, set: "s", version: "2", table: "t", column: "c", sqliteCode: 1)
        #expect(LockstepError.Context().completed(by: outer) == outer)
        #expect(outer.completed(by: .init()) == outer)
        let inner = LockstepError.Context(file: "a", set: "r", table: "u", sqliteCode: 5)
        #expect(inner.completed(by: outer) == inner)
        let same = LockstepError.Context(file: "b", set: "s", table: "t")
        #expect(same.completed(by: outer) == outer)
        let loose = LockstepError.Context(line: 3, column: "d")
        #expect(
            loose.completed(by: outer)
                == .init(
                    file: "b", line: 3, set: "s", version: "2", table: "t", column: "d",
                    sqliteCode: 1))
    }
}
