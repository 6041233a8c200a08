import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Table rebuilds")
struct TableRebuildTests {
    private func parents() throws -> Connection {
        let connection = try Connection.inMemory()
        for sql in [
            "CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, gone TEXT)",
            "CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id) ON DELETE CASCADE)",
            "CREATE INDEX parent_by_name ON parent (name)",
            "CREATE TABLE log (what TEXT)",
            "CREATE TRIGGER parent_log AFTER INSERT ON parent BEGIN INSERT INTO log VALUES ('in'); END",
            "CREATE VIEW names AS SELECT name FROM parent",
            "INSERT INTO parent (id, name) VALUES (1, 'one'), (2, 'two'), (9, 'nine')",
            "DELETE FROM parent WHERE id = 9", "DELETE FROM log", "INSERT INTO child VALUES (10, 1), (11, 2), (12, 2)",
        ] { try connection.execute(SQL(verbatim: sql)) }
        return connection
    }

    private let rebuild = """
        -- lockstep: rebuild table parent
        -- lockstep: set name = upper(name)
        -- lockstep: drop column gone
        CREATE TABLE parent (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL CHECK (name <> ''),
            size INTEGER NOT NULL DEFAULT 3
        );
        """

    @Test("Rows change as declared; children, index, trigger, view and sequence stay") func everythingStays() throws {
        let connection = try parents()
        try Scratch.migrate(connection, rebuild)
        #expect(
            try connection.query("SELECT id || name || size FROM parent ORDER BY id") { row in
                try row[0] as String
            } == ["1ONE3", "2TWO3"])
        #expect(try Scratch.int(connection, "SELECT count(*) FROM child") == 3)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM sqlite_schema WHERE name = 'parent_by_name'") == 1)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM names") == 2)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM log") == 0)
        // The identifier 9 was issued once and must not come back.
        try connection.execute("INSERT INTO parent (name) VALUES ('ten')")
        #expect(try Scratch.int(connection, "SELECT max(id) FROM parent") == 10)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM log") == 1)
        Refusal.expect(.constraint) { try connection.execute("INSERT INTO child VALUES (13, 99)") }
        try connection.execute("DELETE FROM parent WHERE id = 2")
        #expect(try Scratch.int(connection, "SELECT count(*) FROM child") == 1)
        #expect(try Scratch.int(connection, "PRAGMA legacy_alter_table") == 0)
        #expect(try Scratch.int(connection, "PRAGMA foreign_keys") == 1)
    }

    @Test("An empty table with a sequence keeps its sequence")
    func emptySequence() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)")
        try connection.execute("INSERT INTO t VALUES (41)")
        try connection.execute("DELETE FROM t")
        try Scratch.migrate(
            connection, "-- lockstep: rebuild table t\nCREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, x);")
        try connection.execute("INSERT INTO t (x) VALUES (1)")
        #expect(try Scratch.int(connection, "SELECT id FROM t") == 42)
    }

    @Test("A table that refers to itself still does")
    func selfReference() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE node (id INTEGER PRIMARY KEY, up INTEGER REFERENCES node (id))")
        try connection.execute("INSERT INTO node VALUES (1, NULL), (2, 1)")
        try Scratch.migrate(
            connection,
            """
            -- lockstep: rebuild table node
            CREATE TABLE node (id INTEGER PRIMARY KEY, up INTEGER REFERENCES node (id), label TEXT);
            """)
        #expect(try connection.value("SELECT \"table\" FROM pragma_foreign_key_list('node')") == "node")
        Refusal.expect(.constraint) {
            try connection.execute("INSERT INTO node (id, up) VALUES (3, 77)")
        }
    }

    @Test("Without an INTEGER PRIMARY KEY the rowids stay")
    func hiddenRowIDs() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (x TEXT)")
        try connection.execute("INSERT INTO t VALUES ('a'), ('b'), ('c')")
        try connection.execute("DELETE FROM t WHERE x = 'a'")
        try Scratch.migrate(connection, "-- lockstep: rebuild table t\nCREATE TABLE t (x TEXT NOT NULL);")
        #expect(try Scratch.int(connection, "SELECT rowid FROM t WHERE x = 'c'") == 3)
    }

    @Test("INTEGER PRIMARY KEY DESC is not a rowid, so the rowids stay beside it") func descendingKey() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY DESC, x)")
        try connection.execute("INSERT INTO t VALUES (10, 'a'), (20, 'b'), (30, 'c')")
        try connection.execute("DELETE FROM t WHERE k = 10")
        try Scratch.migrate(
            connection, "-- lockstep: rebuild table t\nCREATE TABLE t (k INTEGER PRIMARY KEY DESC, x TEXT);")
        #expect(try Scratch.int(connection, "SELECT rowid FROM t WHERE k = 30") == 3)
    }

    @Test("A column named rowid, WITHOUT ROWID tables, generated columns and STRICT tables work") func kinds() throws {
        let connection = try Connection.inMemory()
        for sql in [
            "CREATE TABLE a (rowid TEXT, x)", "INSERT INTO a VALUES ('mine', 1)",
            "CREATE TABLE b (k TEXT PRIMARY KEY, v) WITHOUT ROWID", "INSERT INTO b VALUES ('k', 1)",
            "CREATE TABLE c (x INTEGER, y GENERATED ALWAYS AS (x * 2) STORED)", "INSERT INTO c (x) VALUES (4)",
        ] { try connection.execute(SQL(verbatim: sql)) }
        try Scratch.migrate(
            connection,
            """
            -- lockstep: rebuild table a
            CREATE TABLE a (rowid TEXT, x INTEGER) STRICT;
            -- lockstep: rebuild table B
            CREATE TABLE IF NOT EXISTS "b" (k TEXT PRIMARY KEY, v INTEGER) STRICT, WITHOUT ROWID;
            -- lockstep: rebuild table c
            CREATE TABLE c (x INTEGER, y INTEGER GENERATED ALWAYS AS (x * 3) STORED) STRICT;
            """)
        #expect(try connection.value("SELECT rowid FROM a") == "mine")
        #expect(try Scratch.int(connection, "SELECT v FROM b") == 1)
        #expect(try Scratch.int(connection, "SELECT y FROM c") == 12)
    }

    @Test(
        "Mismatched rebuilds are refused, and nothing changes",
        arguments: [
            ("-- lockstep: rebuild table nowhere\nCREATE TABLE nowhere (x);", "no table nowhere"),
            (
                "-- lockstep: rebuild table parent\nCREATE TABLE other (x);",
                "expected CREATE TABLE parent"
            ),
            ("-- lockstep: rebuild table parent\nSELECT 1;", "expected CREATE TABLE parent"),
            ("-- lockstep: rebuild table parent", "no CREATE TABLE after it"),
            (
                "-- lockstep: rebuild table parent\nCREATE TABLE parent (id INTEGER PRIMARY KEY, name);",
                "column gone would be lost"
            ),
            (
                "-- lockstep: rebuild table parent\n-- lockstep: set nix = 1\n"
                    + "CREATE TABLE parent (id INTEGER PRIMARY KEY, name, gone);", "the column nix"
            ),
            (
                "-- lockstep: rebuild table parent\n-- lockstep: drop column name\n"
                    + "CREATE TABLE parent (id INTEGER PRIMARY KEY, name, gone);", "only the old definition"
            ),
            (
                "-- lockstep: rebuild table parent\n-- lockstep: drop column name\n"
                    + "CREATE TABLE parent (id INTEGER PRIMARY KEY, gone);", "does not fit its new"
            ),
            (
                "-- lockstep: rebuild table parent\n"
                    + "CREATE TABLE parent (id INTEGER PRIMARY KEY, name, gone TEXT NOT NULL);", "NOT NULL constraint"
            ),
            ("-- lockstep: set a = 1\nSELECT 1;", "requires a rebuild"),
            ("-- lockstep: drop column a\nSELECT 1;", "requires a rebuild"),
        ])
    func refused(sql: String, message: String) throws {
        let connection = try parents()
        let before = try Scratch.schema(connection)
        do {
            try Scratch.migrate(connection, sql)
            Issue.record("it was accepted")
        } catch let error as LockstepError {
            #expect(error.message.contains(message), "\(error.message)")
            #expect(error.message.contains("0001_step.sql"))
        }
        #expect(try Scratch.schema(connection) == before)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM child") == 3)
        #expect(try Scratch.int(connection, "PRAGMA foreign_keys") == 1)
        #expect(try Scratch.int(connection, "PRAGMA legacy_alter_table") == 0)
    }
}
