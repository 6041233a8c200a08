import TestSupport
import Testing

@testable import EngineTestSupport
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
        try connection.execute("CREATE VIEW seen AS SELECT a FROM other")
    }

    private static let refused = [
        "INSERT INTO lockstep_own VALUES (2)", "REPLACE INTO Lockstep_Own VALUES (2)",
        "UPDATE main.lockstep_own SET a = 2", "DELETE FROM \"LOCKSTEP_OWN\"",
        "WITH x AS (SELECT 1) INSERT INTO [lockstep_own] SELECT * FROM x", "DROP TABLE lockstep_own",
        "ALTER TABLE lockstep_own RENAME TO mine", "ALTER TABLE lockstep_own ADD COLUMN b",
        "CREATE INDEX i ON lockstep_own (a)", "CREATE TABLE lockstep_new (a)", "CREATE TABLE LOCKSTEP_NEW AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON lockstep_own BEGIN SELECT 1; END",
        "CREATE TEMP TRIGGER t AFTER INSERT ON lockstep_own BEGIN SELECT 1; END",
        // The following would take the place of the engine's table.
        "CREATE TEMP TABLE lockstep_own (a)", "CREATE TABLE temp.lockstep_own (a)",
        "CREATE TEMP VIEW lockstep_own AS SELECT 9 AS a", "CREATE VIEW lockstep_new AS SELECT 9 AS a",
        "CREATE VIRTUAL TABLE lockstep_new USING fts5(a)", "ALTER TABLE other RENAME TO lockstep_new",
        "alter table other rename to \"Lockstep_New\"", "ALTER TABLE main.other RENAME /* why */ TO 'LOCKSTEP_new'",
        "CREATE TRIGGER t AFTER UPDATE OF a ON LockStep_Own BEGIN SELECT 1; END",
        "CREATE TRIGGER IF NOT EXISTS main.t BEFORE DELETE ON [lockstep_own] BEGIN SELECT 1; END",
        "CREATE TEMP TRIGGER t AFTER INSERT ON main.lockstep_own BEGIN SELECT 1; END",
        // Trigger bodies, which SQLite checks only when they fire.
        "CREATE TRIGGER t AFTER INSERT ON other BEGIN DELETE FROM lockstep_own; END",
        "CREATE TRIGGER t AFTER INSERT ON other BEGIN SELECT 1; UPDATE \"Lockstep_Own\" SET a = 1; END",
        "CREATE TRIGGER t AFTER INSERT ON other BEGIN UPDATE OR IGNORE [lockstep_own] SET a = 1; END",
        "CREATE TRIGGER t AFTER INSERT ON other BEGIN REPLACE INTO 'lockstep_own' VALUES (1); END",
        "CREATE TRIGGER t UPDATE ON other BEGIN INSERT OR FAIL INTO/**/`LOCKSTEP_OWN` SELECT 1; END",
        "CREATE TEMP TRIGGER t DELETE ON other BEGIN INSERT INTO lockstep_own VALUES (old.a); END",
        "CREATE TRIGGER t INSTEAD OF INSERT ON seen BEGIN DELETE FROM lockstep_own WHERE a = 1; END",
        // A child would keep the engine from deleting its rows.
        "CREATE TABLE child (a REFERENCES lockstep_own (a))",
        "CREATE TABLE child (a, FOREIGN KEY (a) REFERENCES \"LOCKSTEP_OWN\" ON DELETE RESTRICT)",
        "ALTER TABLE other ADD COLUMN b REFERENCES lockstep_own (a)",
    ]

    @Test("SQL cannot write, change, make or replace them", arguments: refused)
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

    @Test("Neither can a migration", arguments: refused)
    func migration(_ sql: String) throws {
        let connection = try scratch.open()
        try connection.with(rights: .migration) {
            let error = try #require(throws: LockstepError.self) {
                try connection.execute(SQL(verbatim: sql))
            }
            #expect(error.code == .denied)
        }
    }

    @Test("A trigger planted by another program cannot write them either")
    func trigger() throws {
        let connection = try scratch.open()
        try connection.with(rights: .engine) {
            try connection.execute("CREATE TRIGGER t AFTER INSERT ON other BEGIN DELETE FROM lockstep_own; END")
        }
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("INSERT INTO other VALUES (1)")
        }
        #expect(error.code == .denied)
        #expect(try connection.value("SELECT count(*) FROM lockstep_own") == 1)
    }

    @Test("A refused definition leaves nothing, even in a script and with bound values") func script() throws {
        let connection = try scratch.open()
        Refusal.expect(.denied) {
            try connection.run(
                script: """
                    CREATE TABLE first (a);
                    CREATE TRIGGER t AFTER INSERT ON first BEGIN DELETE FROM lockstep_own; END;
                    CREATE TABLE last (a);
                    """)
        }
        #expect(
            try connection.query(
                "SELECT name FROM sqlite_schema WHERE name IN ('first', 't', 'last')"
            ) {
                try $0[0] as String
            } == ["first"])
        try connection.execute("INSERT INTO first VALUES (1)")
        #expect(try connection.value("SELECT count(*) FROM lockstep_own") == 1)
    }

    private static let harmless = [
        "CREATE TRIGGER t AFTER INSERT ON other BEGIN UPDATE other SET a = (SELECT max(a) FROM lockstep_own); END",
        "CREATE TRIGGER t AFTER UPDATE OF a ON other BEGIN SELECT 'DELETE FROM lockstep_own'; END",
        "CREATE TRIGGER t AFTER INSERT ON other BEGIN INSERT INTO other VALUES ('into lockstep_own'); END",
        "CREATE TRIGGER t AFTER INSERT ON other /* update lockstep_own */ BEGIN SELECT 1; END",
        "CREATE TABLE copy AS SELECT a FROM lockstep_own", "CREATE TABLE t (lockstep_own)",
        "CREATE VIEW v AS SELECT a FROM lockstep_own", "ALTER TABLE other RENAME COLUMN a TO lockstep_own",
        "ALTER TABLE other RENAME TO lockstepped", "CREATE TABLE child (a REFERENCES other (a), lockstep_own TEXT)",
    ]

    @Test("Definitions that only read or mention them are accepted", arguments: harmless)
    func definitions(_ sql: String) throws {
        for mode in [Authorizer.Mode.program, .migration] {
            let connection = try scratch.open()
            try connection.write { connection in
                try connection.with(rights: mode) { try connection.execute(SQL(verbatim: sql)) }
                try connection.execute("DROP TABLE IF EXISTS copy; ")
            }
            try connection.run(
                script: """
                    DROP TRIGGER IF EXISTS t; DROP VIEW IF EXISTS v; DROP TABLE IF EXISTS t;
                    DROP TABLE IF EXISTS child;
                    """)
            if sql.hasPrefix("ALTER") { return }
        }
    }

    @Test("They can be read, and names that only resemble theirs are free")
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
