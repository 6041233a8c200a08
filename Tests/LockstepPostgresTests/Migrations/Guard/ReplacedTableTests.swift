import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("A table that a version replaces by hand on a server", .withServer)
struct ReplacedTableTests {
    private static let base = ServerScratch.up(
        """
        CREATE TABLE film (id bigint PRIMARY KEY, title text, year int, note text);
        INSERT INTO film SELECT i, 'film ' || i, 1900 + i, CASE WHEN i % 2 = 0 THEN 'n' || i END FROM generate_series(1, 20) AS i;
        CREATE INDEX film_year ON film (year);
        CREATE TABLE showing (id bigint PRIMARY KEY, film bigint REFERENCES film);
        CREATE TABLE loose (a text, b int);
        INSERT INTO loose VALUES ('x', 1), ('x', 1), (NULL, 2);
        """)

    private static func migrate(_ sql: String, on server: borrowing ServerConnection) throws -> MigrationReport {
        try ServerMigrator(ServerScratch.set(base, ServerScratch.up(sql))).run(on: server)
    }

    /// The usual recipe, with the columns of the new table and what fills it.
    private static func recipe(
        _ fill: String, columns: String = "id bigint PRIMARY KEY, title text, year int, note text",
        then end: String =
            "CREATE INDEX film_year ON film (year); ALTER TABLE showing ADD FOREIGN KEY (film) REFERENCES film;"
    ) -> String {
        """
        CREATE TABLE film_new (\(columns));
        INSERT INTO film_new \(fill);
        DROP TABLE film CASCADE;
        ALTER TABLE film_new RENAME TO film;
        \(end)
        """
    }

    @Test(
        "A copy of all rows passes without a declaration, whichever way round",
        arguments: [
            recipe("SELECT * FROM film"),
            recipe(
                "SELECT id, year, title, note FROM film ORDER BY title",
                columns: "id bigint PRIMARY KEY, year bigint, title varchar(90), note text, seen int DEFAULT 0"),
            """
            ALTER TABLE film RENAME TO film_old;
            CREATE TABLE film (note text, id bigint PRIMARY KEY, title text, year int);
            INSERT INTO film SELECT note, id, title, year FROM film_old;
            DROP TABLE film_old CASCADE;
            CREATE INDEX other_name ON film (year); ALTER TABLE showing ADD FOREIGN KEY (film) REFERENCES film;
            """,
            "CREATE TABLE l (b int, a text); INSERT INTO l SELECT b, a FROM loose; DROP TABLE loose; ALTER TABLE l RENAME TO loose;",
            """
            CREATE TEMPORARY TABLE kept ON COMMIT DROP AS SELECT * FROM loose;
            DROP TABLE loose; CREATE TABLE loose (a text, b int); INSERT INTO loose SELECT * FROM kept;
            """,
        ])
    func kept(_ sql: String) throws {
        let server = try TestServer.connection()
        let report = try Self.migrate(sql, on: server)
        #expect(report.steps.count == 2 && report.notices.isEmpty, "\(report.notices)")
        #expect(try server.value("SELECT count(*) FROM film") == 20)
    }

    @Test(
        "A copy that loses rows or values is stopped, and passes where that is declared",
        arguments: [
            (recipe("SELECT * FROM film WHERE id > 1"), LockstepError.Code.rowsLost, nil, "allow loss of table film"),
            (
                recipe("SELECT f.* FROM film AS f JOIN film AS g ON g.id = f.id AND g.note IS NOT NULL"), .rowsLost,
                nil,
                "allow loss of table film"
            ),
            (
                recipe("SELECT id, title, year + 1, note FROM film"), .valuesLost, "year",
                "allow changed values of column film.year"
            ),
            (
                recipe("SELECT id, (SELECT min(title) FROM film), year, note FROM film"), .valuesLost, "title",
                "allow changed values of column film.title"
            ),
            // The values are the same ones, in other rows.
            (
                recipe("SELECT id, title, 1921 - id, note FROM film"), .valuesLost, "year",
                "allow changed values of column film.year"
            ),
            (
                recipe("SELECT id, title, year FROM film", columns: "id bigint PRIMARY KEY, title text, year int"),
                .valuesLost,
                "note",
                "allow loss of column film.note"
            ),
            (
                "DROP TABLE loose; CREATE TABLE loose (a text, b int); INSERT INTO loose VALUES ('x', 1), (NULL, 2), (NULL, 2);",
                .rowsLost, nil, "allow loss of table loose"
            ),
        ])
    func lost(_ sql: String, _ code: LockstepError.Code, _ column: String?, _ directive: String) throws {
        let server = try TestServer.connection()
        let error = refused(code) { _ = try Self.migrate(sql, on: server) }
        #expect(
            error?.context.column == column && error?.hint?.contains(directive) == true, "\(String(describing: error))")
        #expect(try server.value("SELECT count(note) FROM film") == 10)
        let report = try Self.migrate("-- lockstep: \(directive)\n\(sql)", on: server)
        #expect(report.notices.map(\.code) == [code])
    }

    @Test("What hung on the table and is gone is reported, and refused where no definition has it")
    func dependents() throws {
        let server = try TestServer.connection()
        let report = try Self.migrate(Self.recipe("SELECT * FROM film", then: ""), on: server)
        #expect(
            report.notices.map(\.message).sorted() == [
                "the foreign key showing.showing_film_fkey of film is gone, with the table that was replaced",
                "the index film_year of film is gone, with the table that was replaced",
            ])
        let unique = ServerScratch.up("CREATE UNIQUE INDEX film_title ON film (title);")
        let set = try ServerScratch.set(
            Self.base, ServerScratch.up(Self.recipe("SELECT * FROM film", then: "")), unique,
            ServerScratch.up(Self.recipe("SELECT * FROM film", then: "")))
        let error = refused(.schemaBroken) { _ = try ServerMigrator(set).run(on: server) }
        #expect(error?.message.contains("the unique index film_title of film") == true)
        let dropped = Self.recipe("SELECT * FROM film", then: "").replacing(
            "DROP TABLE film", with: "DROP INDEX film_title; DROP TABLE film")
        let saying = try ServerScratch.set(
            Self.base, ServerScratch.up(Self.recipe("SELECT * FROM film", then: "")), unique, ServerScratch.up(dropped))
        #expect(try ServerMigrator(saying).run(on: server).notices.isEmpty)
    }

    @Test("Only a table that a version can replace is read for a digest")
    func candidates() throws {
        func canReplace(_ sql: String) throws -> Bool {
            let set = try ServerScratch.set(ServerScratch.up(sql))
            let migration = try #require(set.migrations.first)
            guard case .file(let file) = migration else { return false }
            let script = try ServerScript(file.up, migration.origin(in: set.name))
            return ReplacedTables.canReplace("film", script.readers)
        }
        for sql in [
            "INSERT INTO film VALUES (1) ON CONFLICT DO NOTHING;", "DROP TABLE film;",
            "CREATE INDEX i ON film (year); DROP TABLE other;", "ALTER TABLE film ADD COLUMN a int; DROP TABLE other;",
            "ALTER TABLE film RENAME COLUMN a TO b; DROP TABLE other;", "CREATE TABLE a (film int REFERENCES film);",
        ] { #expect(try !canReplace(sql), "\(sql)") }
        for sql in [
            Self.recipe("SELECT * FROM film"), "DROP TABLE film; CREATE TABLE film (id int);",
            "ALTER TABLE film RENAME TO o; CREATE TABLE film (id int); DROP TABLE o;",
            "DO $$BEGIN DROP TABLE film; CREATE TABLE film (id int); END$$;",
            "DO $$BEGIN EXECUTE 'DROP TABLE film'; EXECUTE 'CREATE TABLE film (id int)'; END$$;",
        ] { #expect(try canReplace(sql), "\(sql)") }
    }
}
