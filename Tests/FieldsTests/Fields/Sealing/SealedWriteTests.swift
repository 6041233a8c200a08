import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What migrations cannot do to a table with sealed columns, beside the views.
struct SealedWriteTests {
    private let bench: SealedTableWorkbench
    private static let first = (
        name: "0001_start.sql",
        content: """
        -- lockstep: up
        CREATE TABLE other (id INTEGER PRIMARY KEY, film INTEGER);
        -- lockstep: protect film.title dataset=catalogue index=casefold:20 batch=3
        """
    )
    private let titles: [String?]

    init() throws {
        bench = try SealedTableWorkbench(
            rows: 10, keys: CellWorkbench.keys(named: "catalogue"))
        let connection = try bench.open()
        titles = (0..<10).map { SealedTableWorkbench.title($0) }
        _ = try Migrator(MigrationSet(name: "films", files: [Self.first])).run(on: connection)
    }

    private func set(_ up: String, down: String? = nil) throws -> MigrationSet {
        let way = down.map { "\n-- lockstep: down\n\($0)" } ?? ""
        return try MigrationSet(
            name: "films", files: [Self.first, (name: "0002_next.sql", content: "-- lockstep: up\n\(up)\(way)")])
    }

    private func objects(_ connection: borrowing Connection) throws -> [String?] {
        try connection.texts(
            "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM main.sqlite_schema "
                + "WHERE name NOT LIKE 'lockstep_progress' ORDER BY 1")
    }

    private func tamper(_ connection: borrowing Connection, _ sql: String) throws {
        try connection.with(rights: .engine) { try connection.run(script: sql) }
    }

    /// What the operator does first: the guards would refuse the values.
    private func dropGuards(_ connection: borrowing Connection) throws {
        for one in try SealingGuard.all(connection) {
            try tamper(connection, "DROP TRIGGER main.\"\(one.name)\"")
        }
    }

    private func seen(_ connection: borrowing Connection) throws -> [String?] {
        // A transaction makes the views again after a failed migration.
        try connection.read { try $0.texts("SELECT title FROM film_open ORDER BY id") }
    }

    // MARK: Reserved names

    private static let reserved = [
        "CREATE TRIGGER lockstep_sealed_x AFTER INSERT ON other BEGIN SELECT 1; END",
        "CREATE TRIGGER IF NOT EXISTS main.'LockStep_x' AFTER INSERT ON other BEGIN SELECT 1; END",
        "CREATE TEMP TRIGGER \"lockstep_x\" AFTER INSERT ON other BEGIN SELECT 1; END",
        "DROP TRIGGER lockstep_sealed_film_title_update", "drop trigger main.[LOCKSTEP_sealed_FILM_title_insert]",
        "DROP TRIGGER IF EXISTS `lockstep_sealed_film_title_key`", "CREATE INDEX lockstep_i ON other (film)",
        "CREATE UNIQUE INDEX \"Lockstep_i\" ON other (film)", "DROP INDEX lockstep_sealed_film_title_casefold_token",
        "DROP INDEX main.\"LOCKSTEP_sealed_film_title_casefold_token\"",
        "CREATE TABLE lockstep_rebuild_film (a)", "CREATE VIEW \"Lockstep_V\" AS SELECT 1",
        "ALTER TABLE other RENAME TO lockstep_rebuild_other",
        "CREATE TABLE film_open (a)", "CREATE VIEW main.\"FILM_open\" AS SELECT 1",
        "CREATE TABLE mine (a); ALTER TABLE mine RENAME TO [Film_Open]",
        "CREATE TABLE movie_open (a); ALTER TABLE film RENAME TO movie", "CREATE VIRTUAL TABLE film_open USING fts5(a)",
    ]

    @Test(
        "No migration makes, drops or renames to an object with a reserved name: plan and run refuse it",
        arguments: reserved)
    func names(_ sql: String) throws {
        let connection = try bench.open()
        let before = try objects(connection)
        let set = try set(sql + ";")
        let preview = try Migrator(set).preview(on: connection)
        #expect(preview.lint.contains { $0.level == .error && $0.kind == .refused }, "\(sql)")
        let error = try #require(throws: LockstepError.self) {
            _ = try Migrator(set).run(on: connection)
        }
        #expect(error.message.contains("reserved") || error.message.contains("readable view"), "\(error)")
        #expect(error.hint != nil)
        #expect(try objects(connection) == before)
        #expect(try seen(connection) == titles)
    }

    @Test("Nor does a way down", arguments: reserved)
    func namesDown(_ sql: String) throws {
        let connection = try bench.open()
        let set = try set("SELECT 1;", down: sql + ";")
        _ = try Migrator(set).run(on: connection)
        let before = try objects(connection)
        let preview = try Migrator(set).preview(.back(1), on: connection)
        #expect(preview.lint.contains { $0.level == .error && $0.kind == .refused }, "\(sql)")
        #expect(throws: LockstepError.self) { _ = try Migrator(set).run(.back(1), on: connection) }
        #expect(try objects(connection) == before)
    }

    @Test("Nor does it drop a readable view, in code")
    func readableView() throws {
        let connection = try bench.open()
        for sql in ["DROP VIEW film_open", "DROP VIEW IF EXISTS temp.\"FILM_OPEN\""] {
            let code = try CodeMigration(version: MigrationVersion(2), name: "drop") { connection in
                try connection.execute(SQL(verbatim: sql))
            }
            let error = try #require(throws: LockstepError.self) {
                _ = try Migrator(MigrationSet(name: "films", files: [Self.first]).adding(code))
                    .run(on: connection)
            }
            #expect(error.code == .denied)
        }
        #expect(try seen(connection) == titles)
    }

    @Test("A table goes with its guards, and a rebuild keeps them")
    func guardsOfTables() throws {
        let connection = try bench.open()
        let token = try #require(
            try connection.prepare("SELECT * FROM film").columnNames.first {
                $0.hasSuffix("_token")
            })
        let guards = try SealingGuard.all(connection)
        let table = "(id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER, note TEXT, \"\(token)\")"
        let rebuilt = try set("-- lockstep: rebuild table film\nCREATE TABLE film \(table);")
        _ = try Migrator(rebuilt).run(on: connection)
        #expect(try SealingGuard.all(connection) == guards)
        #expect(try seen(connection) == titles)
        let dropped = try MigrationSet(
            name: "more",
            files: [
                (
                    name: "1_drop.sql",
                    content:
                        "-- lockstep: up\n-- lockstep: allow loss of table film\nDROP TABLE film;"
                )
            ])
        _ = try Migrator(dropped).run(on: connection)
        #expect(try SealingGuard.all(connection) == [])
    }

    @Test(
        "A rebuild by hand keeps the guards, and resealing makes those again that are gone",
        arguments: [
            ("film", "n", "", "ALTER TABLE n RENAME TO film;"), ("o", "film", "ALTER TABLE film RENAME TO o;", ""),
        ])
    func guardsOfReplaced(old: String, new: String, first: String, last: String) throws {
        let connection = try bench.open()
        let token = try #require(
            try connection.prepare("SELECT * FROM film").columnNames.first { $0.hasSuffix("_token") })
        let guards = try SealingGuard.all(connection)
        #expect(guards.count == 3)
        let rebuilt = try set(
            """
            \(first)
            CREATE TABLE \(new) (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER, note TEXT, "\(token)", more);
            INSERT INTO \(new) (id, title, year, note, "\(token)") SELECT id, title, year, note, "\(token)" FROM \(old);
            DROP TABLE \(old);
            \(last)
            """)
        _ = try Migrator(rebuilt).run(on: connection)
        #expect(try SealingGuard.all(connection).map(\.name).sorted() == guards.map(\.name).sorted())
        #expect(try seen(connection) == titles)
        try dropGuards(connection)
        let change = SealingChange(table: "film", column: "title", goal: .reseal)
        try change.run(on: connection, keys: bench.keys)
        #expect(try SealingGuard.all(connection).map(\.name).sorted() == guards.map(\.name).sorted())
        #expect(try seen(connection) == titles)
    }

    @Test("A rebuild by hand that leaves a sealed column out takes its guards along") func columnLeftOut() throws {
        let connection = try bench.open()
        let token = try #require(
            try connection.prepare("SELECT * FROM film").columnNames.first { $0.hasSuffix("_token") })
        let rebuilt = try set(
            """
            -- lockstep: allow loss of column film.title
            -- lockstep: allow loss of column film.\(token)
            CREATE TABLE n (id INTEGER PRIMARY KEY, year INTEGER, note TEXT);
            INSERT INTO n (id, year, note) SELECT id, year, note FROM film;
            DROP TABLE film;
            ALTER TABLE n RENAME TO film;
            """)
        _ = try Migrator(rebuilt).run(on: connection)
        #expect(try SealingGuard.all(connection) == [])
    }

    // MARK: What is not a cell

    private static let writes = [
        "UPDATE film SET title = 'plain' WHERE id = 3;", "UPDATE film SET title = substr(title, 1, 20) WHERE id = 3;",
        "UPDATE \"FILM\" SET TITLE = zeroblob(100) WHERE id = 3;", "INSERT INTO film (id, title) VALUES (99, 'plain');",
        "INSERT INTO film (id, title) VALUES (3, 'x') ON CONFLICT DO UPDATE SET title = excluded.title;",
        """
        -- lockstep: allow changed values of column film.title
        CREATE TRIGGER t AFTER INSERT ON other BEGIN UPDATE film SET title = 'plain' WHERE id = NEW.film; END;
        INSERT INTO other (film) VALUES (3);
        """,
        """
        CREATE TABLE child (id INTEGER PRIMARY KEY, film REFERENCES film (id) ON DELETE CASCADE);
        CREATE TRIGGER t AFTER DELETE ON child BEGIN UPDATE film SET title = 'plain' WHERE id = 4; END;
        INSERT INTO child (film) VALUES (3);
        -- lockstep: allow loss of table film
        -- lockstep: allow changed values of column film.title
        -- lockstep: allow loss of table child
        DELETE FROM film WHERE id = 3;
        """,
        "-- lockstep: backfill film batch=4\nUPDATE film SET title = 'plain' WHERE rowid BETWEEN :first AND :last AND id = 9;",
        "UPDATE film SET title = 'plain' WHERE id = 3; ALTER TABLE film RENAME COLUMN title TO name;",
        "UPDATE film SET title = 'plain' WHERE id = 3; ALTER TABLE film RENAME TO movie;",
    ]

    @Test("REPLACE without the guards is refused for the other values of the row, which it loses")
    func replaced() throws {
        let connection = try bench.open()
        try dropGuards(connection)
        let set = try set("REPLACE INTO film (id, title) VALUES (3, 'plain');")
        Refusal.expect(.valuesLost) { _ = try Migrator(set).run(on: connection) }
        #expect(try seen(connection) == titles)
    }

    @Test(
        "A step that leaves anything but cells in a sealed column fails, even without the guards",
        arguments: writes)
    func notCells(_ sql: String) throws {
        let connection = try bench.open()
        try dropGuards(connection)
        // Renames follow the guards; without them nothing does, and the keyring refuses what remains.
        let isRenamed = sql.contains("RENAME")
        let set = try set(sql)
        let before = try objects(connection)
        let error = try #require(throws: LockstepError.self) {
            _ = try Migrator(set).run(on: connection)
        }
        guard !isRenamed else { return }
        #expect(error.code == .migrationFailed, "\(error)")
        #expect(error.message.contains("film.title is sealed"), "\(error)")
        #expect(error.message.contains("1 value"), "\(error)")
        #expect((error.context.table, error.context.column) == ("film", "title"))
        #expect(error.hint != nil)
        #expect(try seen(connection) == titles)
        #expect(try Ledger.entries(connection).count == 1)
        #expect(try objects(connection) == before || sql.contains("backfill"))
    }

    @Test("So does code")
    func code() throws {
        let connection = try bench.open()
        try dropGuards(connection)
        let code = try CodeMigration(version: MigrationVersion(2), name: "write") { connection in
            try connection.execute("UPDATE film SET title = 'plain' WHERE id IN (3, 4)")
        }
        let error = try #require(throws: LockstepError.self) {
            _ = try Migrator(MigrationSet(name: "films", files: [Self.first]).adding(code))
                .run(on: connection)
        }
        #expect(error.message.contains("2 values"), "\(error)")
        #expect(try seen(connection) == titles)
    }

    @Test("A rebuild does not carry over what the operator put there")
    func rebuilt() throws {
        let connection = try bench.open()
        try dropGuards(connection)
        try tamper(connection, "UPDATE film SET title = 'plain' WHERE id = 3")
        let token = try #require(
            try connection.prepare("SELECT * FROM film").columnNames.first {
                $0.hasSuffix("_token")
            })
        let set = try set(
            "-- lockstep: rebuild table film\nCREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, "
                + "year INTEGER, note TEXT, \"\(token)\");")
        let error = try #require(throws: LockstepError.self) {
            _ = try Migrator(set).run(on: connection)
        }
        #expect(error.code == .migrationFailed && error.message.contains("1 value"), "\(error)")
    }

    @Test("What a step does not write is not read")
    func unread() throws {
        let connection = try bench.open()
        try dropGuards(connection)
        try tamper(connection, "UPDATE film SET title = 'plain' WHERE id = 3")
        let set = try set(
            """
            ALTER TABLE film ADD COLUMN more;
            UPDATE film SET more = year, note = 'x';
            INSERT INTO other (film) SELECT id FROM film;
            -- lockstep: allow loss of table film
            DELETE FROM film WHERE id = 5;
            -- lockstep: backfill film batch=3
            UPDATE film SET more = id WHERE rowid BETWEEN :first AND :last;
            """)
        _ = try Migrator(set).run(on: connection)
        #expect(try Ledger.entries(connection).count == 2)
    }

    @Test("Cells that a step moves within their column pass, and NULL does")
    func cellsPass() throws {
        let connection = try bench.open()
        try tamper(connection, "CREATE TABLE note (id INTEGER PRIMARY KEY, text)")
        try tamper(connection, "INSERT INTO note VALUES (1, 'a')")
        try connection.protect("text", of: "note", keys: bench.keys, mode: .random)
        let set = try set("UPDATE note SET text = text; INSERT INTO note VALUES (2, NULL);")
        _ = try Migrator(set).run(on: connection)
        #expect(try connection.texts("SELECT text FROM note_open ORDER BY id") == ["a", nil])
    }
}
