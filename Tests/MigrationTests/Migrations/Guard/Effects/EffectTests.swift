import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Each way in which people have lost rows or values in a migration, and what explains the same effect.
@Suite("Effects on rows, and what explains them")
struct EffectTests {
    struct Case: CustomTestStringConvertible {
        let name: String
        var setup = ""
        let script: String
        /// A part of the error's message, and the declaration that accepts the effect.
        let message, declaration: String
        var code = LockstepError.Code.valuesLost
        var testDescription: String { name }
    }

    private static let base = """
        CREATE TABLE profile (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE item (id INTEGER PRIMARY KEY, profile INTEGER REFERENCES profile (id) ON DELETE SET NULL, note TEXT);
        CREATE TABLE pair (a TEXT, b TEXT);
        CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, genre TEXT);
        INSERT INTO profile VALUES (1, 'low'), (2, 'high');
        INSERT INTO item VALUES (1, 1, 'n1'), (2, 1, 'n2'), (3, 2, NULL);
        INSERT INTO pair VALUES ('x', 'y'), ('z', 'w');
        INSERT INTO genre VALUES (1, 'drama'), (2, 'drama'), (3, 'comedy');
        INSERT INTO film VALUES (1, 'A', 'drama'), (2, 'B', 'comedy'), (3, 'C', NULL);
        """

    static let cases: [Case] = [
        Case(
            name: "a rebuild by hand sets references to NULL",
            script: """
                CREATE TABLE profile_new (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                INSERT INTO profile_new SELECT id, name FROM profile;
                DROP TABLE profile;
                ALTER TABLE profile_new RENAME TO profile;
                """, message: "3 values of item.profile become NULL: ON DELETE SET NULL",
            declaration: "allow changed values of column item.profile"),
        Case(
            name: "DELETE, then INSERT of defaults with the same ids",
            script: "DELETE FROM genre WHERE id > 1;\nINSERT INTO genre (name) VALUES ('Default A'), ('Default B');",
            message: "2 rows of genre were deleted and others inserted", declaration: "allow loss of table genre",
            code: .rowsLost),
        Case(
            name: "values that a statement may make NULL, and then their column goes",
            script: "UPDATE film SET genre = nullif(genre, '');\nALTER TABLE film DROP COLUMN genre;",
            message: "of film.genre", declaration: "allow loss of column film.genre"),
        Case(
            name: "a row goes while the keys change",
            script: "UPDATE genre SET id = id + 10;\nDELETE FROM genre WHERE id = 11;",
            message: "genre went from 3 rows to 2", declaration: "allow loss of table genre", code: .rowsLost),
        Case(
            name: "a copy through a JOIN",
            script: """
                CREATE TABLE film2 (id INTEGER PRIMARY KEY, title TEXT, genre TEXT, genre_id INTEGER);
                INSERT INTO film2 (title, genre, genre_id) SELECT f.title, f.genre, g.id FROM film f
                JOIN genre g ON g.name = f.genre;
                DROP TABLE film;
                ALTER TABLE film2 RENAME TO film;
                """, message: "of film.title", declaration: "allow loss of table film"),
        Case(
            name: "a copy through a JOIN that doubles the last row",
            script: """
                CREATE TABLE film2 (id INTEGER PRIMARY KEY, title TEXT, genre TEXT);
                INSERT INTO film2 SELECT * FROM film;
                INSERT INTO film2 (title, genre) SELECT title, genre FROM film WHERE id = 2;
                DROP TABLE film;
                ALTER TABLE film2 RENAME TO film;
                """, message: "1 row of film stands there again", declaration: "allow loss of table film",
            code: .rowsLost),
        Case(
            name: "a copy by position",
            script: """
                CREATE TABLE new (id INTEGER PRIMARY KEY, genre TEXT, title TEXT);
                INSERT INTO new SELECT * FROM film;
                DROP TABLE film;
                ALTER TABLE new RENAME TO film;
                """, message: "of film.title", declaration: "allow loss of table film"),
        Case(
            name: "a copy by position of a table without a key",
            script: """
                CREATE TABLE new (b TEXT, a TEXT);
                INSERT INTO new SELECT * FROM pair;
                DROP TABLE pair;
                ALTER TABLE new RENAME TO pair;
                """, message: "of pair", declaration: "allow loss of table pair", code: .rowsLost),
        Case(
            name: "a column becomes a generated one",
            script: """
                -- lockstep: rebuild table genre
                CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT AS ('n' || id));
                """, message: "3 values of genre.name", declaration: "allow changed values of column genre.name"),
        Case(
            name: "an UPDATE fires a trigger that changes another table",
            setup: """
                CREATE TRIGGER t AFTER UPDATE ON genre BEGIN UPDATE item SET note = 'g' || new.id WHERE id = new.id; END;
                """, script: "UPDATE genre SET name = upper(name) WHERE id = 1;",
            message: "1 value of item.note is another now: the trigger t",
            declaration: "allow changed values of column item.note"),
        Case(
            name: "an INSERT fires a trigger that deletes",
            setup: "CREATE TRIGGER t AFTER INSERT ON genre BEGIN DELETE FROM pair WHERE a = 'x'; END;",
            script: "INSERT INTO genre (name) VALUES ('noir');", message: "pair went from 2 rows to 1",
            declaration: "allow loss of table pair", code: .rowsLost),
        Case(
            name: "ON UPDATE of a key",
            setup: """
                CREATE TABLE part (id INTEGER PRIMARY KEY, up INTEGER REFERENCES genre ON UPDATE SET NULL);
                INSERT INTO part VALUES (1, NULL), (2, 1);
                """, script: "UPDATE genre SET id = 9 WHERE id = 1;",
            message: "1 value of part.up becomes NULL: ON UPDATE SET NULL",
            declaration: "allow changed values of column part.up"),
        Case(
            name: "REPLACE of a row with another key",
            setup: "CREATE UNIQUE INDEX j ON film (title);",
            script: "INSERT OR REPLACE INTO film (id, title) VALUES (77, 'A');",
            message: "1 row of film was deleted and others inserted", declaration: "allow loss of table film",
            code: .rowsLost),
        Case(
            name: "a row of the same key is replaced",
            script: "INSERT OR REPLACE INTO film (id, title) VALUES (1, 'A');",
            message: "1 value of film.genre becomes NULL",
            declaration: "allow changed values of column film.genre"),
        Case(
            name: "ON CONFLICT REPLACE of a new table",
            script: """
                CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE);
                INSERT INTO new SELECT * FROM genre;
                DROP TABLE genre;
                ALTER TABLE new RENAME TO genre;
                """, message: "genre went from 3 rows to 2", declaration: "allow loss of table genre", code: .rowsLost),
        Case(
            name: "an UPDATE finds nothing and writes NULL",
            script: "UPDATE film SET genre = (SELECT id FROM genre WHERE name = film.genre AND name <> 'comedy');",
            message: "1 value of film.genre becomes NULL", declaration: "allow changed values of column film.genre"),
        Case(
            name: "DELETE and put back, without some",
            script: """
                CREATE TEMP TABLE s AS SELECT * FROM genre WHERE name = 'drama';
                DELETE FROM genre;
                INSERT INTO genre SELECT * FROM s;
                """, message: "genre went from 3 rows to 2", declaration: "allow loss of table genre", code: .rowsLost),
    ]

    private func run(_ setup: String, _ script: String) throws {
        let set = try Scratch.set(Scratch.up(Self.base + setup), Scratch.up(script))
        for isPlanned in [false, true] {
            let connection = try Connection.inMemory()
            _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
            if isPlanned {
                let preview = try Migrator(set).preview(on: connection)
                guard preview.isBlocked else { return }
                throw LockstepError(.misuse, "only the plan refuses it: \(preview.lint.map(\.message))")
            }
            _ = try Migrator(set).run(on: connection)
        }
    }

    @Test("An effect that nothing explains stops the version; its declaration lets it pass", arguments: cases)
    func effects(_ one: Case) throws {
        let error = try #require(throws: LockstepError.self) { try run(one.setup, one.script) }
        #expect(error.code == one.code, "\(error.message)")
        #expect(error.message.contains(one.message), "\(error.message)")
        #expect(error.hint != nil)
        try run(one.setup, "-- lockstep: \(one.declaration)\n\(one.script)")
    }

    @Test(
        "What the script says, and what loses nothing, needs no declaration",
        arguments: [
            "UPDATE film SET title = title || '!';", "UPDATE film SET genre = NULL WHERE id = 1;",
            "UPDATE film SET genre = title IS DISTINCT FROM genre, title = 'x';",
            """
            CREATE TABLE new (id INTEGER PRIMARY KEY, title TEXT, genre TEXT NOT NULL);
            INSERT INTO new SELECT id, title, coalesce(genre, 'none') FROM film;
            DROP TABLE film;
            ALTER TABLE new RENAME TO film;
            """,
            "UPDATE film SET id = id + 10;", "INSERT INTO film (title) VALUES ('D');",
            "INSERT INTO film VALUES (1, 'x', 'y') ON CONFLICT (id) DO UPDATE SET title = excluded.title;",
            "ALTER TABLE film RENAME COLUMN title TO name;\nUPDATE film SET name = upper(name);",
            "ALTER TABLE film RENAME TO movie;\nALTER TABLE movie ADD COLUMN year INTEGER DEFAULT 1900;",
            "CREATE TEMP TABLE s AS SELECT a FROM pair;\nALTER TABLE pair ADD COLUMN c;\nDROP TABLE s;",
            """
            CREATE TABLE new (id INTEGER PRIMARY KEY, full_title TEXT, genre TEXT);
            INSERT INTO new SELECT id, title, genre FROM film;
            DROP TABLE film;
            ALTER TABLE new RENAME TO film;
            """,
            """
            CREATE TEMPORARY TABLE backup (a TEXT);
            INSERT INTO backup SELECT a FROM pair;
            UPDATE pair SET b = NULL;
            DROP TABLE pair;
            CREATE TABLE pair (a TEXT);
            INSERT INTO pair SELECT a FROM backup;
            DROP TABLE backup;
            """,
            """
            CREATE TABLE archive (a TEXT, b TEXT, why TEXT);
            INSERT INTO archive SELECT a, b, 'old' FROM pair WHERE a = 'x';
            DELETE FROM pair WHERE a = 'x';
            """,
            "-- lockstep: foreign keys off\nCREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT);\n"
                + "INSERT INTO new SELECT * FROM profile;\nDROP TABLE profile;\nALTER TABLE new RENAME TO profile;",
        ])
    func explained(_ script: String) throws { try run("", script) }

    @Test(
        "What hung on a table with rows is missed, whichever of the two tables gets another name",
        arguments: ["ALTER TABLE film RENAME TO old;", ""])
    func dependents(first: String) throws {
        let setup = "CREATE TRIGGER t AFTER INSERT ON film BEGIN SELECT 1; END; CREATE UNIQUE INDEX u ON film (title);"
        let (old, new) = first.isEmpty ? ("film", "new") : ("old", "film")
        let script = """
            \(first)
            CREATE TABLE \(new) (id INTEGER PRIMARY KEY, title TEXT, genre TEXT);
            INSERT INTO \(new) SELECT id, title, genre FROM \(old);
            DROP TABLE \(old);
            \(first.isEmpty ? "ALTER TABLE new RENAME TO film;" : "")
            """
        Refusal.expect(.schemaBroken) { try run(setup, script) }
        // With another name alone they go along.
        try run(setup, "ALTER TABLE film RENAME TO movie;\nCREATE VIEW film AS SELECT * FROM movie;")
        try run(setup, "\(script)\n\(setup.replacing("; C", with: ";\nC"))")
    }

    @Test("The statement after which an effect stands is blamed, not one that touched the table")
    func blame() throws {
        let script = """
            UPDATE item SET note = 'x' WHERE 0;
            CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO n SELECT * FROM profile;
            DROP TABLE profile;
            ALTER TABLE n RENAME TO profile;
            UPDATE item SET note = note;
            """
        let error = try #require(throws: LockstepError.self) { try run("", script) }
        #expect(error.message.contains("by: DROP TABLE profile"), "\(error.message)")
        #expect(error.context.line == 5)
        #expect(error.hint?.contains("foreign keys off") == true)
    }

    @Test("Values are compared as they are stored, in a file as in memory", arguments: [false, true])
    func values(inFile: Bool) throws {
        let setup = """
            CREATE TABLE odd (k TEXT, n, PRIMARY KEY (k)) WITHOUT ROWID;
            INSERT INTO odd VALUES ('nul', 'a' || char(0) || 'b'), ('bad', CAST(x'ff41' AS TEXT)), ('zero', -0.0),
                ('blob', x'0041'), ('text', '1'), ('whole', 1), ('real', 1.0), ('none', NULL), ('nan', 9e999 - 9e999);
            CREATE VIRTUAL TABLE words USING fts5 (t);
            INSERT INTO words VALUES ('one'), ('two');
            """
        let changes = [
            ("nul", "'a' || char(0) || 'c'"), ("bad", "CAST(x'ff42' AS TEXT)"), ("blob", "CAST(x'0041' AS TEXT)"),
            ("text", "1"), ("whole", "1.0"), ("none", "''"),
        ]
        func run(_ script: String) throws {
            let set = try Scratch.set(Scratch.up(setup), Scratch.up(script))
            let scratch = try DatabaseScratch()
            let connection = try inFile ? scratch.create() : Connection.inMemory()
            _ = try Migrator(set).run(on: connection)
        }
        try run("CREATE TABLE s AS SELECT * FROM odd;\nDELETE FROM odd;\nINSERT INTO odd SELECT * FROM s;")
        for (key, value) in changes {
            let script =
                "CREATE TABLE s AS SELECT * FROM odd;\nDELETE FROM odd WHERE k = '\(key)';\n"
                + "INSERT INTO odd VALUES ('\(key)', \(value));\nDROP TABLE s;"
            Refusal.expect(.rowsLost) { try run(script) }
        }
        try run("REPLACE INTO odd VALUES ('zero', 0.0);")
        Refusal.expect(.rowsLost) { try run("DELETE FROM words WHERE rowid = 1;") }
        Refusal.expect(.valuesLost) {
            try run(
                "CREATE TRIGGER t AFTER UPDATE ON odd BEGIN UPDATE words SET t = 'x' WHERE rowid = 1; END;\n"
                    + "UPDATE odd SET n = n WHERE k = 'text';")
        }
    }
}
