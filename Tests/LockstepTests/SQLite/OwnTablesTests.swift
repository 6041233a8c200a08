import TestSupport
import Testing

@testable import Lockstep

@Suite("The engine's own tables")
struct OwnTablesTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.with(rights: .engine) {
            try connection.execute("CREATE TABLE lockstep_own (a)")
            try connection.execute("INSERT INTO lockstep_own VALUES (1)")
        }
        try connection.execute("CREATE TABLE other (a)")
    }

    private static let refused = [
        "INSERT INTO lockstep_own VALUES (2)", "REPLACE INTO Lockstep_Own VALUES (2)",
        "UPDATE main.lockstep_own SET a = 2", "DELETE FROM \"LOCKSTEP_OWN\"",
        "WITH x AS (SELECT 1) INSERT INTO [lockstep_own] SELECT * FROM x",
        "DROP TABLE lockstep_own", "ALTER TABLE lockstep_own RENAME TO mine",
        "ALTER TABLE lockstep_own ADD COLUMN b", "CREATE INDEX i ON lockstep_own (a)",
        "CREATE TABLE lockstep_new (a)", "CREATE TABLE LOCKSTEP_NEW AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON lockstep_own BEGIN SELECT 1; END",
        "CREATE TEMP TRIGGER t AFTER INSERT ON lockstep_own BEGIN SELECT 1; END",
        // Those below would stand where the engine looks for its table.
        "CREATE TEMP TABLE lockstep_own (a)", "CREATE TABLE temp.lockstep_own (a)",
        "CREATE TEMP VIEW lockstep_own AS SELECT 9 AS a",
        "CREATE VIEW lockstep_new AS SELECT 9 AS a",
        "CREATE VIRTUAL TABLE lockstep_new USING fts5(a)",
    ]

    @Test("SQL may not write, change, make or stand in for them", arguments: refused)
    func program(_ sql: String) throws {
        do {
            let connection = try scratch.open()
            let error = try #require(throws: LockstepError.self) {
                try connection.execute(SQL(verbatim: sql))
            }
            #expect(error.code == .denied)
            #expect(error.hint != nil)
        }
        #expect(try scratch.open().value("SELECT a FROM lockstep_own") == 1)
    }

    @Test("Nor may a migration", arguments: refused)
    func migration(_ sql: String) throws {
        let connection = try scratch.open()
        try connection.with(rights: .migration) {
            let error = try #require(throws: LockstepError.self) {
                try connection.execute(SQL(verbatim: sql))
            }
            #expect(error.code == .denied)
        }
    }

    @Test("A trigger of the program's cannot write them either")
    func trigger() throws {
        let connection = try scratch.open()
        try connection.execute(
            "CREATE TRIGGER t AFTER INSERT ON other BEGIN DELETE FROM lockstep_own; END")
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("INSERT INTO other VALUES (1)")
        }
        #expect(error.code == .denied)
        #expect(try connection.value("SELECT count(*) FROM lockstep_own") == 1)
    }

    @Test("They may be read, and names that only resemble theirs are free")
    func allowed() throws {
        let connection = try scratch.open()
        #expect(try connection.value("SELECT a FROM lockstep_own") == 1)
        for name in ["lockstep", "lockstepping", "my_lockstep_table"] {
            try connection.execute("CREATE TABLE \(verbatim: name) (a)")
            try connection.execute("INSERT INTO \(verbatim: name) VALUES (1)")
            try connection.execute("DROP TABLE \(verbatim: name)")
        }
    }
}
