import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What a preview and a rehearsal show of rows.
@Suite("Effects on rows, as they are shown")
struct ShownEffectsTests {
    private static let base = """
        CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, rating INTEGER);
        CREATE TABLE other (x TEXT);
        INSERT INTO film VALUES (1, 'A', 1), (2, 'B', 2), (3, 'C', NULL);
        INSERT INTO other VALUES ('x');
        """

    private func preview(_ script: String) throws -> MigrationPreview {
        let connection = try Connection.inMemory()
        let set = try Scratch.set(Scratch.up(Self.base), Scratch.up(script))
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        return try Migrator(set).preview(on: connection)
    }

    @Test(
        "A line for each table says what stands, and what does not",
        arguments: [
            ("UPDATE film SET rating = rating + 1;", ["film: 3 rows stand · 2 changed in rating"]),
            ("UPDATE film SET rating = NULL WHERE id = 1;", ["film: 3 rows stand · 1 value of rating becomes NULL"]),
            ("INSERT INTO film (title) VALUES ('D'), ('E');", ["film: 3 rows stand · 2 new"]),
            ("DELETE FROM film WHERE id = 1;", ["film: 2 rows stand · 1 gone, undeclared"]),
            (
                "-- lockstep: allow loss of table film\nDELETE FROM film WHERE id > 1;\n"
                    + "INSERT INTO other VALUES ('y');",
                ["film: 1 row stands · 2 gone", "other: 1 row stands · 1 new"]
            ),
            ("-- lockstep: allow loss of table film\nDROP TABLE film;", ["film: 3 gone"]),
            ("CREATE TABLE made (x);\nINSERT INTO made SELECT title FROM film;", ["made: 3 new"]),
            (
                """
                CREATE TABLE new (id INTEGER PRIMARY KEY, title TEXT, rating INTEGER);
                INSERT INTO new SELECT id, title, rating FROM film WHERE id < 3;
                DROP TABLE film;
                ALTER TABLE new RENAME TO film;
                """, ["film: 2 rows stand · 1 gone, undeclared"]
            ),
            ("UPDATE film SET title = title;", []),
            ("CREATE INDEX made ON film (title);", []),
        ])
    func lines(script: String, due: [String]) throws {
        let step = try #require(try preview(script).steps.last)
        #expect(step.effects.map(\.description) == due)
    }

    @Test("What a table does not say is marked, and counted once")
    func undeclared() throws {
        let script = """
            CREATE TRIGGER t AFTER UPDATE ON film BEGIN UPDATE other SET x = NULL; END;
            UPDATE film SET rating = 5;
            """
        let step = try #require(try preview(script).steps.last)
        #expect(
            step.effects.map(\.description) == [
                "film: 3 rows stand · 3 changed in rating",
                "other: 1 row stands · 1 value of x becomes NULL, undeclared",
            ])
    }

    @Test("A run reports them if it is asked to, with the keys of up to five rows if it is asked for these too")
    func run() throws {
        let setup = """
            CREATE TABLE wide (a TEXT, b INTEGER, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
            INSERT INTO wide VALUES ('it''s', 1, 'x'), ('it''s', 2, 'y');
            WITH RECURSIVE n (i) AS (VALUES (4) UNION ALL SELECT i + 1 FROM n WHERE i < 9)
            INSERT INTO film SELECT i, 'T' || i, i FROM n;
            """
        let script = "UPDATE film SET rating = 5 WHERE id > 2;\nUPDATE wide SET c = 'z' WHERE b = 2;"
        let set = try Scratch.set(Scratch.up(Self.base + setup), Scratch.up(script))
        for (names, film, wide) in [(false, "", ""), (true, " (3, 4, 6, 7, 8, …)", " (('it''s', 2))")] {
            let connection = try Connection.inMemory()
            var migrator = Migrator(set)
            _ = try migrator.run(.version(MigrationVersion(1)), on: connection)
            (migrator.reportsEffects, migrator.namesRows) = (true, names)
            let step = try #require(try migrator.run(on: connection).steps.last)
            #expect(
                step.effects.map(\.description) == [
                    "film: 9 rows stand · 6 changed in rating\(film)",
                    "wide: 2 rows stand · 1 changed in c\(wide)",
                ])
        }
        let connection = try Connection.inMemory()
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        #expect(try Migrator(set).run(on: connection).steps.last?.effects == [])
    }

    @Test("A table that is not to be compared is reported, and not shown")
    func unchecked() throws {
        let script = "CREATE TRIGGER t AFTER UPDATE ON film BEGIN DELETE FROM other; END;\nUPDATE film SET rating = 5;"
        #expect(try preview(script).isBlocked)
        let declared = try preview("-- lockstep: unchecked table other\n\(script)")
        #expect(!declared.isBlocked)
        #expect(declared.steps.last?.effects.map(\.table) == ["film"])
        #expect(declared.lint.contains { $0.message.contains("the rows of other are not compared, as declared") })
    }

    @Test("What the definition of a replacing table leaves out is noted")
    func rules() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set(
            Scratch.up(
                """
                CREATE TABLE parent (id INTEGER PRIMARY KEY);
                CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT UNIQUE, b INTEGER CHECK (b > 0),
                    c INTEGER REFERENCES parent (id), d TEXT CHECK (d <> ''), UNIQUE (b, d));
                INSERT INTO t (id, a, b, d) VALUES (1, 'x', 1, 'd'), (9, 'y', 2, 'd');
                DELETE FROM t WHERE id = 9;
                """),
            Scratch.up(
                """
                CREATE TABLE n (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT, b INTEGER, c INTEGER,
                    d TEXT CHECK (d <> ''));
                INSERT INTO n SELECT id, a, b, c, d FROM t;
                DROP TABLE t;
                ALTER TABLE n RENAME TO t;
                """))
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        let notices = try Migrator(set).run(on: connection).notices.map(\.message).joined(separator: "\n")
        for due in ["UNIQUE (a)", "UNIQUE (b , d)", "CHECK (b > ?)", "the foreign key of (c)"] {
            #expect(notices.contains("\(due) of t is gone"), "\(notices)")
        }
        #expect(!notices.contains("CHECK (d"))
        #expect(notices.contains("has given the id 9"))
    }
}
