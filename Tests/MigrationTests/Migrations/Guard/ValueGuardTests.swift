import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Rows and values that a migration moves, replaces or changes")
struct ValueGuardTests {
    private static let base = """
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, zip TEXT, age INTEGER);
        CREATE TABLE pet (id INTEGER PRIMARY KEY, person INTEGER REFERENCES person ON DELETE CASCADE);
        CREATE TABLE tag (word TEXT PRIMARY KEY, n INTEGER);
        CREATE TABLE log (x);
        CREATE TABLE empty (a, b);
        INSERT INTO person VALUES (1, 'Ada', '00123', 36), (2, 'Bob', 'none', NULL), (3, 'Cy', NULL, 5);
        INSERT INTO pet VALUES (1, 1), (2, 2);
        INSERT INTO tag VALUES ('a', 1), ('b', 2);
        INSERT INTO log VALUES ('one'), ('two');
        """

    private func run(_ scripts: [String]) throws -> MigrationReport {
        let connection = try Connection.inMemory()
        let set = try Scratch.set(([Self.base] + scripts).map { Scratch.up($0) })
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        return try Migrator(set).run(on: connection)
    }

    private func expect(
        _ code: LockstepError.Code?, _ message: String = "", _ scripts: String...
    ) throws {
        do {
            _ = try run(scripts)
            #expect(code == nil, "\(scripts) ran")
        } catch let error as LockstepError {
            #expect(error.code == code, "\(error.message)")
            #expect(error.message.contains(message), "\(error.message)")
        }
    }

    // MARK: Moved rows

    @Test(
        "Rows that stand in another table, filled by this run, were moved",
        arguments: [
            ["CREATE TABLE p2 AS SELECT * FROM log;\nDROP TABLE log;"],
            ["CREATE TABLE p2 AS SELECT * FROM log;", "DROP TABLE log;"],
            ["CREATE TABLE p2 (y);\nINSERT INTO p2 (y) SELECT x FROM log;", "DROP TABLE log;"],
            [
                "CREATE TABLE a AS SELECT * FROM log WHERE x = 'one';\n"
                    + "CREATE TABLE b AS SELECT * FROM log WHERE x <> 'one';\nDROP TABLE log;"
            ],
            [
                "CREATE TEMP TABLE s AS SELECT * FROM log;\nDROP TABLE log;\n"
                    + "CREATE TABLE log (x TEXT);\nINSERT INTO log SELECT x FROM s;\nDROP TABLE s;"
            ],
            [
                "CREATE TEMP TABLE s AS SELECT * FROM log;\nDELETE FROM log;\n"
                    + "INSERT INTO log SELECT * FROM s;"
            ],
            ["INSERT INTO empty SELECT x, 1 FROM log;\nDELETE FROM log;"],
            [
                "ALTER TABLE log RENAME TO old;\nCREATE TABLE log (x TEXT);\n"
                    + "INSERT INTO log SELECT x FROM old;", "DROP TABLE old;",
            ], ["CREATE TABLE a AS SELECT * FROM log;", "ALTER TABLE a RENAME TO b;", "DROP TABLE log;"],
            ["WITH w AS (SELECT x FROM log) INSERT INTO empty (a) SELECT x FROM w;\nDROP TABLE log;"],
        ])
    func moved(_ scripts: [String]) throws { _ = try run(scripts) }

    @Test(
        "Rows that do not all stand somewhere were lost",
        arguments: [
            ["CREATE TABLE p2 AS SELECT * FROM log WHERE x = 'one';\nDROP TABLE log;"],
            ["CREATE TABLE p2 AS SELECT * FROM log;\nDELETE FROM p2;\nDROP TABLE log;"],
            ["CREATE TABLE p2 AS SELECT * FROM log;", "DROP TABLE log;", "DROP TABLE p2;"],
            ["CREATE TEMP TABLE s AS SELECT * FROM log;\nDROP TABLE log;"],
            ["CREATE TABLE p2 AS SELECT * FROM log;", "INSERT INTO log VALUES ('three');", "DROP TABLE log;"],
            // Others took their places.
            ["DROP TABLE log;\nCREATE TABLE log (x);\nINSERT INTO log VALUES ('three'), ('four');"],
            // Only a part of each row.
            ["INSERT INTO empty (a) SELECT id FROM person;\nDELETE FROM person WHERE id = 3;"],
        ])
    func lost(_ scripts: [String]) throws {
        Refusal.expect(.rowsLost) { _ = try run(scripts) }
    }

    // MARK: Replaced rows

    @Test(
        "Rows that are deleted while others are inserted are lost",
        arguments: [
            "DELETE FROM person WHERE id = 3;\nINSERT INTO person (id, name) VALUES (9, 'Di');",
            "INSERT INTO person (id, name) VALUES (9, 'Di');\nDELETE FROM person WHERE id = 3;",
            "DELETE FROM tag;\nINSERT INTO tag VALUES ('c', 1), ('d', 2), ('e', 3);",
            "CREATE UNIQUE INDEX i ON person (name);\n"
                + "REPLACE INTO person (id, name) VALUES (9, 'Ada');\n-- lockstep: allow loss of table pet",
            "DELETE FROM pet WHERE id = 2;\nALTER TABLE pet RENAME TO animal;\n" + "INSERT INTO animal VALUES (7, 1);",
            // The keys stand, the rows do not.
            "DELETE FROM tag;\nINSERT INTO tag VALUES ('b', 3), ('a', 4);",
        ])
    func replaced(_ sql: String) throws { try expect(.rowsLost, "and others inserted", sql) }

    @Test(
        "Rows that are written again, and rows that the migration itself inserts, are not lost",
        arguments: [
            "DELETE FROM tag;\nINSERT INTO tag VALUES ('b', 2), ('a', 1);",
            "REPLACE INTO tag VALUES ('a', 1), ('c', 8);",
            "INSERT INTO person (name) VALUES ('x');\nDELETE FROM person WHERE name = 'x';",
            "INSERT INTO tag VALUES ('x', 1);\nDELETE FROM tag WHERE word = 'x';",
            "DELETE FROM person WHERE id = 99;\nINSERT INTO person (name) VALUES ('x');",
            "UPDATE person SET name = NULL, zip = 5;",
            "-- lockstep: allow loss of table tag\nDELETE FROM tag;\nINSERT INTO tag VALUES ('c', 1), ('d', 2);",
        ])
    func kept(_ sql: String) throws { try expect(nil, "", sql) }

    @Test("Code can drop a table and make it again with the same rows, but not with others") func code() throws {
        func run(_ values: [String]) throws {
            let connection = try Connection.inMemory()
            let set = try Scratch.set(Scratch.up(Self.base)).adding(
                CodeMigration(version: MigrationVersion(2), name: "again") { connection in
                    let old = try connection.query("SELECT word FROM tag", as: String.self)
                    #expect(old.count == 2)
                    try connection.execute("DROP TABLE tag")
                    try connection.execute("CREATE TABLE tag (word TEXT PRIMARY KEY, n REAL)")
                    for value in values {
                        try connection.execute(
                            "INSERT INTO tag VALUES (?1, CASE ?1 WHEN 'b' THEN 2 ELSE 1 END)", value)
                    }
                })
            _ = try Migrator(set).run(on: connection)
        }
        try run(["b", "a", "c"])
        Refusal.expect(.rowsLost) { try run(["b", "c"]) }
    }

    // MARK: Columns

    @Test(
        "A column that goes with its values needs a declaration",
        arguments: [
            ("ALTER TABLE person DROP COLUMN zip;", "2 values of person.zip are gone"),
            ("ALTER TABLE person DROP age;", "2 values of person.age are gone"),
            (
                "-- lockstep: foreign keys off\n"
                    + "CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);\n"
                    + "INSERT INTO new SELECT id, name, age FROM person;\nDROP TABLE person;\n"
                    + "ALTER TABLE new RENAME TO person;", "2 values of person.zip are gone"
            ),
            (
                // The values of another column.
                "ALTER TABLE person ADD COLUMN code TEXT;\nUPDATE person SET code = zip || '-';\n"
                    + "ALTER TABLE person DROP COLUMN zip;", "2 values of person.zip are gone"
            ),
        ])
    func columns(sql: String, message: String) throws {
        try expect(.valuesLost, message, sql)
        let column = message.split(separator: " ")[3]
        let report = try run(["-- lockstep: allow loss of column \(column)\n" + sql])
        #expect(report.notices.map(\.code) == [.valuesLost])
        try expect(nil, "", "-- lockstep: allow loss of table person\n" + sql)
        try expect(.valuesLost, message, "-- lockstep: allow changed values of column \(column)\n" + sql)
        try expect(.valuesLost, message, "-- lockstep: allow loss of column person.id\n" + sql)
    }

    @Test(
        "A column whose values stand elsewhere, or that has none, can go",
        arguments: [
            "ALTER TABLE empty DROP COLUMN b;", "UPDATE person SET zip = NULL;\nALTER TABLE person DROP COLUMN zip;",
            "ALTER TABLE person ADD COLUMN code TEXT;\nUPDATE person SET code = zip;\n"
                + "ALTER TABLE person DROP COLUMN zip;",
            "CREATE TABLE place (person, zip TEXT);\nINSERT INTO place SELECT id, zip FROM person "
                + "WHERE zip IS NOT NULL;\nALTER TABLE person DROP COLUMN zip;",
            "ALTER TABLE person ADD COLUMN g AS (age + 1);\nALTER TABLE person DROP COLUMN g;",
            "-- lockstep: rebuild table person\n-- lockstep: drop column zip\n"
                + "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);",
        ])
    func freeColumns(_ sql: String) throws { try expect(nil, "", sql) }

    @Test(
        "Values that a copy changes need a declaration",
        arguments: [
            ("zip", "INTEGER", 1), ("zip", "REAL", 1), ("zip", "NUMERIC", 1),
            ("name", "INTEGER", 0),
            ("zip", "BLOB", 0), ("age", "TEXT", 0), ("age", "REAL", 0),
        ])
    func affinity(column: String, type: String, count: Int) throws {
        let columns = ["id INTEGER PRIMARY KEY", "name TEXT", "zip TEXT", "age INTEGER"].map {
            $0.hasPrefix("\(column) ") ? "\(column) \(type)" : $0
        }.joined(separator: ", ")
        let byHand =
            "-- lockstep: foreign keys off\nCREATE TABLE new (\(columns));\nINSERT INTO new SELECT * FROM person;\n"
            + "DROP TABLE person;\nALTER TABLE new RENAME TO person;"
        let named =
            "-- lockstep: foreign keys off\nCREATE TABLE new (\(columns));\nINSERT INTO new (age, zip, name, id) "
            + "SELECT p.age, p.zip AS z, p.name, p.id FROM person AS p;\n"
            + "DROP TABLE person;\nALTER TABLE new RENAME TO person;"
        let byEngine = "-- lockstep: rebuild table person\nCREATE TABLE person (\(columns));"
        for sql in [byHand, named, byEngine] {
            let message = "1 value of person.\(column) becomes another"
            try expect(count > 0 ? .valuesLost : nil, message, sql)
            try expect(nil, "", "-- lockstep: allow changed values of column person.\(column)\n" + sql)
        }
    }

    @Test("Numbers change where text or a double cannot give them back")
    func numbers() throws {
        let rows = "CREATE TABLE n (r REAL, i INTEGER);\nINSERT INTO n VALUES (0.1 + 0.2, 9007199254740993), (0.5, 7);"
        for (columns, lost) in [("r TEXT, i INTEGER", "n.r"), ("r REAL, i REAL", "n.i")] {
            try expect(
                .valuesLost, "1 value of \(lost) becomes", rows,
                "CREATE TABLE m (\(columns));\nINSERT INTO m SELECT * FROM n;\nDROP TABLE n;")
        }
    }

    @Test("An expression of a copy explains nothing, an UPDATE of the same does")
    func expressions() throws {
        let off = "-- lockstep: foreign keys off\n"
        let copy =
            "CREATE TABLE new (id INTEGER PRIMARY KEY, label TEXT, zip INTEGER);\n"
            + "INSERT INTO new SELECT id, name || age, CAST(zip AS INTEGER) FROM person;\n"
            + "DROP TABLE person;\nALTER TABLE new RENAME TO person;"
        let declarations = [
            "allow loss of column person.name", "allow loss of column person.age",
            "allow changed values of column person.zip",
        ]
        for left in declarations.indices {
            var some = declarations
            some.remove(at: left)
            try expect(
                .valuesLost, String(declarations[left].split(separator: " ").last ?? ""),
                some.map { "-- lockstep: \($0)\n" }.joined() + off + copy)
        }
        try expect(nil, "", declarations.map { "-- lockstep: \($0)\n" }.joined() + off + copy)
        try expect(nil, "", "UPDATE person SET zip = CAST(zip AS INTEGER), name = name || 'x';")
    }

    // MARK: Blame

    @Test(
        "The statement that lost the rows is named, not one that could have",
        arguments: [
            ("DELETE FROM pet WHERE id = 1;\nDELETE FROM pet WHERE id = 77;", 2),
            ("DELETE FROM person WHERE id = 1;\nDELETE FROM pet WHERE id = 77;\nDELETE FROM person WHERE 0;", 2),
            (
                "CREATE TRIGGER r AFTER INSERT ON log BEGIN DELETE FROM tag WHERE word = new.x; END;\n"
                    + "INSERT INTO log VALUES ('a');\nINSERT INTO log VALUES ('z');\n"
                    + "DELETE FROM tag WHERE word = 'z';", 3
            ),
            (
                "DELETE FROM tag WHERE word = 'a';\nREPLACE INTO log VALUES (1);\n"
                    + "UPDATE tag SET n = 5;\nINSERT OR IGNORE INTO tag VALUES ('b', 1);", 2
            ),
            (
                "CREATE TABLE c2 AS SELECT word, CAST(n AS TEXT) AS n FROM tag WHERE n > 1;\nDROP TABLE tag;\nDROP TABLE empty;",
                3
            ),
        ])
    func blame(sql: String, line: Int) throws {
        do {
            _ = try run([sql])
            Issue.record("it ran")
        } catch let error as LockstepError {
            #expect(error.code == .rowsLost)
            #expect(error.context.line == line, "\(error.message)")
        }
    }

    @Test("What a copy changes is blamed on the DROP that leaves only the copy") func blameOfCopy() throws {
        let copy =
            "CREATE TABLE new (zip INTEGER, id, name, age);\nINSERT INTO new (zip, id, name, age) "
            + "SELECT zip, id, name, age FROM person;\nDELETE FROM pet WHERE 0;\n"
        let drop = "DROP TABLE person;\nALTER TABLE new RENAME TO person;"
        let off = "-- lockstep: foreign keys off\n"
        for (scripts, place) in [([off + copy + drop], "0002_step.sql:6:"), ([copy, off + drop], "0003_step.sql:3:")] {
            do {
                _ = try run(scripts)
                Issue.record("it ran")
            } catch let error as LockstepError {
                #expect(error.code == .valuesLost)
                #expect(error.message.contains(place), "\(error.message)")
            }
        }
    }
}
