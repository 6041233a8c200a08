import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("The names of SQLite's result codes")
struct ResultCodeTests {
    @Test(
        "A code has its name in SQLite's header",
        arguments: [
            (0, "SQLITE_OK"), (1, "SQLITE_ERROR"), (5, "SQLITE_BUSY"), (26, "SQLITE_NOTADB"), (28, "SQLITE_WARNING"),
            (101, "SQLITE_DONE"), (256, "SQLITE_OK_LOAD_PERMANENTLY"), (257, "SQLITE_ERROR_MISSING_COLLSEQ"),
            (261, "SQLITE_BUSY_RECOVERY"), (516, "SQLITE_ABORT_ROLLBACK"), (517, "SQLITE_BUSY_SNAPSHOT"),
            (522, "SQLITE_IOERR_SHORT_READ"), (787, "SQLITE_CONSTRAINT_FOREIGNKEY"), (1032, "SQLITE_READONLY_DBMOVED"),
            (1299, "SQLITE_CONSTRAINT_NOTNULL"), (1550, "SQLITE_CANTOPEN_SYMLINK"),
            (1555, "SQLITE_CONSTRAINT_PRIMARYKEY"), (2067, "SQLITE_CONSTRAINT_UNIQUE"),
            (3091, "SQLITE_CONSTRAINT_DATATYPE"), (3082, "SQLITE_IOERR_NOMEM"), (8714, "SQLITE_IOERR_IN_PAGE"),
            (9226, "SQLITE_IOERR_CODEC"),
        ])
    func names(_ code: Int32, _ name: String) {
        #expect(ResultCode.name(code) == name)
        #expect(LockstepError.Context(sqliteCode: code).sqliteCodeName == name)
    }

    @Test("An unknown code has the name of its primary code, and its number")
    func unknown() {
        #expect(ResultCode.name(25_610) == "SQLITE_IOERR (25610)")
        #expect(ResultCode.name(260) == "SQLITE_ABORT (260)")
        #expect(ResultCode.name(263) == "SQLITE_NOMEM (263)")
        #expect(ResultCode.name(77) == "SQLITE (77)")
        #expect(ResultCode.name(-1) == "SQLITE (-1)")
        #expect(LockstepError.Context().sqliteCodeName == nil)
    }
}
