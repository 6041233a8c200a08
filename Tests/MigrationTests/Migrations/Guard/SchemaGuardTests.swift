import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Guards before the commit")
struct SchemaGuardTests {
    private func database() throws -> Connection {
        let connection = try Connection.inMemory()
        for sql in [
            "CREATE TABLE parent (id INTEGER PRIMARY KEY, code TEXT UNIQUE)",
            "CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent ON DELETE CASCADE)",
            "CREATE TABLE empty (x)",
            "INSERT INTO parent VALUES (1, 'a'), (2, 'b')",
            "CREATE VIRTUAL TABLE words USING fts5 (w)",
            "INSERT INTO words VALUES ('one'), ('two')",
            "INSERT INTO child VALUES (1, 1), (2, 2)",
        ] { try connection.execute(SQL(verbatim: sql)) }
        return connection
    }

    private func expect(_ code: LockstepError.Code?, _ sql: String) throws {
        let connection = try database()
        let before = try Scratch.schema(connection)
        let got = try Refusal.code { try Scratch.migrate(connection, sql) }
        #expect(got == code, "\(sql)")
        if code != nil {
            #expect(try Scratch.schema(connection) == before)
            #expect(try Scratch.int(connection, "SELECT count(*) FROM child") == 2)
            #expect(try Ledger.entries(connection).isEmpty)
        }
    }

    @Test(
        "Lost rows roll back",
        arguments: [
            "DELETE FROM child WHERE id = 1;", "DROP TABLE child;", "DELETE FROM parent;",
            // With foreign keys on, this deletes the children as well.
            "CREATE TABLE p2 (id INTEGER PRIMARY KEY, code TEXT UNIQUE);\n"
                + "INSERT INTO p2 SELECT * FROM parent;\nDROP TABLE parent;\n" + "ALTER TABLE p2 RENAME TO parent;",
            "CREATE TABLE saved AS SELECT * FROM child WHERE id = 1;\nDROP TABLE child;",
            // The new table gets the root page of the old one.
            "DROP TABLE child;\nCREATE TABLE other (y);\nINSERT INTO other VALUES (1), (2), (3);",
            // Renamed in the same script, so no statement has created this name.
            "DROP TABLE child;\nCREATE TABLE other (y);\nINSERT INTO other VALUES (1), (2), (3);\n"
                + "ALTER TABLE other RENAME TO another;",
            "DROP TABLE words;", "DELETE FROM words;",
            "CREATE TEMP TABLE child AS SELECT * FROM main.child;\nDELETE FROM main.child;",
        ])
    func lost(sql: String) throws { try expect(.rowsLost, sql) }

    @Test(
        "Declared, renamed, empty and replaced tables are no loss",
        arguments: [
            "-- lockstep: allow loss of table CHILD\nDELETE FROM child;",
            "-- lockstep: allow loss of table child\nDROP TABLE child;",
            "DROP TABLE empty;", "ALTER TABLE child RENAME TO offspring;",
            "UPDATE parent SET code = code || 'x';",
            "CREATE TABLE t AS SELECT * FROM child;\nDROP TABLE child;\nALTER TABLE t RENAME TO child;",
        ])
    func kept(sql: String) throws { try expect(nil, sql) }

    @Test("A new foreign-key violation rolls back, an old one does not get in the way") func violations() throws {
        try expect(.foreignKeysBroken, "-- lockstep: foreign keys off\nINSERT INTO child VALUES (3, 99);")
        let connection = try database()
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute("INSERT INTO child VALUES (4, 98)")
        try connection.execute("PRAGMA foreign_keys = ON")
        try Scratch.migrate(connection, "CREATE TABLE more (x);")
        #expect(try Scratch.int(connection, "SELECT count(*) FROM child") == 3)
    }

    @Test("An old reference to nothing does not switch the guard off, and can be mended") func oldReference() throws {
        let connection = try database()
        for sql in [
            "PRAGMA foreign_keys = OFF", "CREATE TABLE legacy (g REFERENCES gone (id))",
            "INSERT INTO legacy VALUES (1)", "PRAGMA foreign_keys = ON",
        ] { try connection.execute(SQL(verbatim: sql)) }
        let orphaning =
            "-- lockstep: foreign keys off\n-- lockstep: allow loss of table parent\n"
            + "DELETE FROM parent WHERE id = 1;"
        Refusal.expect(.foreignKeysBroken) { try Scratch.migrate(connection, orphaning) }
        try Scratch.migrate(connection, "CREATE TABLE gone (id INTEGER PRIMARY KEY);")
    }

    @Test("Objects that were unusable before do not get in the way")
    func oldBrokenView() throws {
        let connection = try database()
        try connection.execute("CREATE VIEW v AS SELECT * FROM nowhere")
        try Scratch.migrate(connection, "CREATE TABLE more (x);")
        Refusal.expect(.schemaBroken) {
            _ = try Migrator(
                Scratch.set(Scratch.up("CREATE TABLE more (x);"), Scratch.up("CREATE VIEW w AS SELECT * FROM nowhere;"))
            ).run(on: connection)
        }
    }

    @Test("A table cannot be renamed to a name that is reserved for the engine")
    func ownNames() throws {
        try expect(.migrationFailed, "ALTER TABLE empty RENAME TO lockstep_mine;")
    }

    @Test(
        "A foreign key that refers to nothing rolls back, even if no row is affected",
        arguments: [
            "CREATE TABLE c2 (p INTEGER REFERENCES nowhere (id));",
            "CREATE TABLE c2 (p TEXT REFERENCES parent (nowhere));", "CREATE TABLE c2 (p TEXT REFERENCES empty (x));",
            "CREATE TABLE c2 (a, b, FOREIGN KEY (a, b) REFERENCES parent (id, code));",
            // Renaming the old table away first changes the children's references as well.
            "-- lockstep: foreign keys off\n-- lockstep: allow loss of table parent\n"
                + "ALTER TABLE parent RENAME TO parent_old;\n"
                + "CREATE TABLE parent (id INTEGER PRIMARY KEY, code TEXT UNIQUE);\n"
                + "INSERT INTO parent SELECT * FROM parent_old;\nDROP TABLE parent_old;",
        ])
    func danglingReferences(sql: String) throws { try expect(.foreignKeysBroken, sql) }

    @Test(
        "References to a unique column, to several and to the implicit key are fine",
        arguments: [
            "CREATE TABLE c2 (p TEXT REFERENCES parent (code));", "CREATE TABLE c2 (p TEXT REFERENCES PARENT (Code));",
            "CREATE TABLE p2 (\"ÄRA\" INTEGER PRIMARY KEY);\nCREATE TABLE c2 (x REFERENCES p2 (\"ÄRA\"));",
            "CREATE TABLE p2 (a, b, PRIMARY KEY (a, b));\n"
                + "CREATE TABLE c2 (x, y, FOREIGN KEY (x, y) REFERENCES p2);",
            "CREATE TABLE p2 (a, b, UNIQUE (b, a));\n"
                + "CREATE TABLE c2 (x, y, FOREIGN KEY (x, y) REFERENCES p2 (a, b));",
        ])
    func goodReferences(sql: String) throws { try expect(nil, sql) }

    @Test(
        "Unusable tables, views and triggers roll back",
        arguments: [
            "ALTER TABLE parent ADD COLUMN g GENERATED ALWAYS AS (no_such_function(id));",
            "CREATE VIEW v AS SELECT * FROM nowhere;", "CREATE TABLE d (a, b DEFAULT (no_such_function()));",
            "CREATE TRIGGER \"on insert log\" AFTER DELETE ON parent BEGIN DELETE FROM nowhere; END;",
            "CREATE VIEW v AS SELECT no_such FROM parent;",
            "CREATE TRIGGER t AFTER INSERT ON parent BEGIN INSERT INTO nowhere VALUES (1); END;",
            "CREATE TRIGGER t AFTER UPDATE OF code ON parent BEGIN DELETE FROM nowhere; END;",
            "CREATE TRIGGER t BEFORE DELETE ON parent BEGIN UPDATE nowhere SET x = 1; END;",
        ])
    func unusable(sql: String) throws { try expect(.schemaBroken, sql) }

    @Test(
        "Usable views and triggers pass, on views too",
        arguments: [
            "CREATE VIEW v AS SELECT id, code FROM parent;\n"
                + "CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN INSERT INTO parent VALUES (new.id, new.code); END;",
            "CREATE VIEW v AS SELECT id, code FROM parent;\n"
                + "CREATE TRIGGER t INSTEAD OF UPDATE ON v BEGIN UPDATE parent SET code = new.code WHERE id = old.id; END;\n"
                + "CREATE TRIGGER t2 INSTEAD OF DELETE ON v BEGIN DELETE FROM parent WHERE id = old.id; END;",
            "CREATE TABLE g (a, b GENERATED ALWAYS AS (a + 1), c TEXT NOT NULL);\n"
                + "CREATE TRIGGER t AFTER UPDATE ON g BEGIN SELECT 1; END;",
            "CREATE VIRTUAL TABLE f USING fts5 (x);\nINSERT INTO f VALUES ('word');",
        ])
    func usable(sql: String) throws { try expect(nil, sql) }
}
