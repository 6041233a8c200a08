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
            """
            CREATE TEMP TABLE s AS SELECT * FROM genre;
            DELETE FROM genre;
            INSERT INTO genre SELECT * FROM s;
            UPDATE genre SET name = upper(name);
            """,
            "DELETE FROM genre WHERE id = 7;\nINSERT INTO genre VALUES (9, 'x');\nUPDATE genre SET name = upper(name);",
            "-- lockstep: allow loss of table genre\nDELETE FROM genre;\nINSERT INTO genre VALUES (1, 'x'), (2, 'y');",
            """
            -- lockstep: allow loss of table genre
            DROP TABLE genre;
            CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO genre VALUES (1, 'x');
            """,
        ])
    func explained(_ script: String) throws { try run("", script) }

    @Test(
        "NULL can be in a key that is not INTEGER, and distinguishes no rows",
        arguments: [
            "UPDATE key SET v = '9' WHERE k = 'a';",
            "DELETE FROM key WHERE v = '';\nINSERT INTO key VALUES ('q', 'q');\nUPDATE key SET v = '9' WHERE k = 'a';",
            """
            CREATE TABLE new (k TEXT PRIMARY KEY, v TEXT, w TEXT);
            INSERT INTO new (k, v) SELECT k, v FROM key;
            DROP TABLE key;
            ALTER TABLE new RENAME TO key;
            """,
        ])
    func nullKeys(_ script: String) throws {
        let setup = """
            CREATE TABLE key (k TEXT PRIMARY KEY, v TEXT);
            INSERT INTO key VALUES (NULL, '1'), (NULL, '2'), ('a', '3');
            """
        try run(setup, script)
        Refusal.expect(.rowsLost) { try run(setup, "\(script)\nDELETE FROM key WHERE v = '2';") }
    }

    @Test("A full-text index that is filled again finds the rows under their new ids")
    func filledAgain() throws {
        let setup = """
            CREATE TABLE doc (body TEXT);
            INSERT INTO doc VALUES ('gone'), ('moon'), ('sun');
            DELETE FROM doc WHERE body = 'gone';
            CREATE VIRTUAL TABLE search USING fts5 (body, content = doc);
            INSERT INTO search (search) VALUES ('rebuild');
            """
        let script = """
            CREATE TABLE new (body TEXT);
            INSERT INTO new SELECT body FROM doc;
            DROP TABLE doc;
            ALTER TABLE new RENAME TO doc;
            INSERT INTO search (search) VALUES ('rebuild');
            """
        try run(setup, script)
    }

    @Test(
        "Each batch of a backfill is compared, not the first alone",
        arguments: [
            ("note = (SELECT name FROM genre WHERE id = item.id)", "1 value of item.note becomes NULL"),
            ("note = note || '!'", "1 value of pair.b is another now: the trigger t"),
        ])
    func batches(_ set: String, _ message: String) throws {
        let setup = """
            INSERT INTO item VALUES (4, 2, 'n4');
            CREATE TRIGGER t AFTER UPDATE ON item WHEN new.id = 4 BEGIN UPDATE pair SET b = 'q' WHERE a = 'x'; END;
            """
        let script = "-- lockstep: backfill item batch=1\nUPDATE item SET \(set) WHERE rowid BETWEEN :first AND :last;"
        let migrations = try Scratch.set(Scratch.up(Self.base + setup), Scratch.up(script))
        let connection = try Connection.inMemory()
        _ = try Migrator(migrations).run(.version(MigrationVersion(1)), on: connection)
        let error = try #require(throws: LockstepError.self) { try Migrator(migrations).run(on: connection) }
        #expect(error.code == .valuesLost && error.message.contains(message), "\(error.message)")
        #expect(try connection.value("SELECT note FROM item WHERE id = 4", as: String.self) == "n4")
    }

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
