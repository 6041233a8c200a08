import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Rows that an earlier run has moved")
final class EarlierFillsTests {
    private static let base = """
        CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, code TEXT, year INTEGER);
        CREATE TABLE other (id INTEGER PRIMARY KEY, title TEXT, code TEXT, year INTEGER);
        INSERT INTO film VALUES (1, 'M', '001', 1931), (2, 'Laura', NULL, 1944), (3, 'M', 'x', NULL);
        """
    private static let copy = """
        CREATE TABLE movie (id INTEGER PRIMARY KEY, title TEXT, code TEXT, year REAL);
        INSERT INTO movie SELECT * FROM film;
        """

    private let connection: Connection

    init() throws { connection = try Connection.inMemory() }

    /// Runs the first versions, lets a program write, and then runs each other version by itself.
    /// - Returns: What the last version needs, as its plan says before it runs or is refused.
    private func needed(
        _ scripts: [String], from first: Int = 2, meanwhile: String = ""
    ) throws -> [String] {
        let set = try Scratch.set(([Self.base] + scripts).map { Scratch.up($0) })
        for version in first...scripts.count {
            _ = try Migrator(set).run(.version(MigrationVersion(UInt64(version))), on: connection)
        }
        try connection.run(script: meanwhile)
        let preview = try Migrator(set).preview(on: connection)
        #expect(preview.isBlocked == !preview.declarations.isEmpty, "\(preview.lint)")
        do {
            _ = try Migrator(set).run(on: connection)
            #expect(preview.declarations.isEmpty, "\(preview.lint)")
        } catch let error as LockstepError {
            #expect(!preview.declarations.isEmpty, "\(error)")
            let declared = try preview.declarations.reduce(set) { set, one in
                try set.declaring(one.directive, at: one.version, down: !one.isUp)
            }
            _ = try Migrator(declared).run(on: connection)
        }
        return preview.declarations.map(\.directive)
    }

    @Test(
        "need no declaration when another run drops or empties their old table",
        arguments: [
            [copy, "DROP TABLE film;"],
            [copy, "DELETE FROM film;"],
            [copy, "DROP TABLE film;\nALTER TABLE movie RENAME TO film;"],
            [copy, "ALTER TABLE film RENAME TO old;", "DROP TABLE old;"],
            [copy, "ALTER TABLE movie RENAME TO m;", "ALTER TABLE m RENAME TO n;\nDROP TABLE film;"],
            ["CREATE TABLE movie AS SELECT title, year, code, id FROM film;", "DROP TABLE film;"],
            [
                "INSERT INTO other (title, id, year, code) SELECT title, id, year, code FROM film;",
                "CREATE TABLE unrelated (x);", "DROP TABLE film;",
            ],
            [
                "CREATE TABLE a AS SELECT * FROM film WHERE id < 3;\n"
                    + "CREATE TABLE b AS SELECT * FROM film WHERE id > 2;", "DROP TABLE film;",
            ],
        ])
    func moved(scripts: [String]) throws {
        #expect(try needed(scripts) == [])
    }

    @Test(
        "are lost if they do not stand there as they are",
        arguments: [
            "DELETE FROM movie WHERE id = 2;", "UPDATE movie SET title = 'X' WHERE id = 1;",
            "INSERT INTO film (title) VALUES ('new');", "UPDATE film SET year = 1 WHERE id = 3;",
        ])
    func changed(meanwhile: String) throws {
        #expect(
            try needed([Self.copy, "DROP TABLE film;"], meanwhile: meanwhile)
                == ["allow loss of table film"])
    }

    @Test("are lost if no file has put them there, whatever another table holds")
    func chance() throws {
        #expect(
            try needed(
                ["CREATE TABLE unrelated (x);", "DROP TABLE film;"],
                meanwhile: "INSERT INTO other SELECT * FROM film;") == ["allow loss of table film"])
    }

    @Test("Of equal rows one is enough: each is found at least once")
    func equalRows() throws {
        #expect(
            try needed(
                [
                    "CREATE TABLE titles AS SELECT title FROM film;",
                    "CREATE TABLE copies (title TEXT);\nINSERT INTO copies SELECT title FROM titles;",
                    "DROP TABLE titles;",
                ], from: 3,
                meanwhile: """
                    DELETE FROM copies WHERE rowid = 1; INSERT INTO copies VALUES ('Laura');
                    """) == [])
    }

    @Test("Columns that the copy left out, and values that it changed, are found as in one run") func values() throws {
        let copy =
            "CREATE TABLE movie (id INTEGER PRIMARY KEY, code INTEGER, year INTEGER);\n"
            + "INSERT INTO movie SELECT id, code, year FROM film;"
        #expect(
            try needed([copy, "DROP TABLE film;"]) == [
                "allow loss of column film.title", "allow changed values of column film.code",
            ])
    }

    @Test("What a backfill has moved in batches, of this run or of one before, is known at the end")
    func batches() throws {
        let script = """
            CREATE TABLE movie (id INTEGER PRIMARY KEY, title TEXT, code TEXT, year INTEGER CHECK (year IS NOT 1944));
            -- lockstep: backfill film batch=1
            INSERT INTO movie SELECT * FROM film WHERE id BETWEEN :first AND :last;
            DROP TABLE film;
            """
        let good = script.replacing(" CHECK (year IS NOT 1944)", with: "")
        for (first, isStopped) in [(good, false), (script, true)] {
            let connection = try Connection.inMemory()
            let set = try Scratch.set(Scratch.up(Self.base), Scratch.up(first))
            _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
            if isStopped {
                #expect(throws: LockstepError.self) { try Migrator(set).run(on: connection) }
                try connection.run(
                    script: "UPDATE film SET year = 1945 WHERE year = 1944;")
            }
            let preview = try Migrator(set).preview(on: connection)
            #expect(preview.declarations == [] && !preview.isBlocked, "\(preview.lint)")
            _ = try Migrator(set).run(on: connection)
            #expect(try Scratch.int(connection, "SELECT count(*) FROM movie") == 3)
        }
    }
}
