import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("What a version does to rows on a server without saying so", .withServer)
struct ServerEffectTests {
    private static let base = ServerScratch.up(
        """
        CREATE TABLE profile (id bigint PRIMARY KEY, name text);
        CREATE TABLE item (
            id bigint PRIMARY KEY, profile bigint DEFAULT 9 REFERENCES profile ON DELETE SET NULL ON UPDATE CASCADE, n int);
        CREATE TABLE total (id bigint PRIMARY KEY, n int);
        CREATE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN UPDATE total SET n = n + 1; RETURN NULL; END$$;
        CREATE TRIGGER counts AFTER INSERT OR UPDATE OF n ON item FOR EACH STATEMENT EXECUTE FUNCTION count_items();
        CREATE FUNCTION add_up() RETURNS void LANGUAGE sql AS 'UPDATE total SET n = 0';
        CREATE VIEW totals AS SELECT id, n AS number FROM total;
        CREATE VIEW shown AS SELECT id, number FROM totals;
        INSERT INTO profile VALUES (1, 'a'), (2, 'b'), (3, 'c');
        INSERT INTO total VALUES (1, 0);
        INSERT INTO item SELECT i, 1 + i % 3, i FROM generate_series(1, 30) AS i;
        """)

    private static func migrate(_ sql: String, on server: borrowing ServerConnection) throws -> MigrationReport {
        try ServerMigrator(ServerScratch.set(base, ServerScratch.up(sql))).run(on: server)
    }

    @Test(
        "The action of a foreign key and a trigger on another table stop the version, and pass where they are declared",
        arguments: [
            (
                "-- lockstep: allow loss of table profile\nDELETE FROM profile WHERE id = 1;", "item", "profile",
                "allow changed values of column item.profile",
                "ON DELETE SET NULL of item.profile, when rows of profile went"
            ),
            (
                "UPDATE profile SET id = id + 10;", "item", "profile", "allow changed values of column item.profile",
                "ON UPDATE CASCADE of item.profile, when rows of profile changed"
            ),
            ("UPDATE item SET n = 0 WHERE id = 1;", "total", nil, "unchecked table total", "a trigger"),
            ("INSERT INTO item VALUES (50, 1, 1);", "total", nil, "unchecked table total", "a trigger"),
            ("SELECT add_up();", "total", nil, "unchecked table total", "a function"),
            ("SELECT add_up();", "total", nil, "allow changed values of column total.n", "a function"),
        ])
    func unsaid(_ sql: String, _ table: String, _ column: String?, _ directive: String, _ cause: String) throws {
        let server = try TestServer.connection()
        let error = refused(.valuesLost) { _ = try Self.migrate(sql, on: server) }
        #expect(error?.context.table == table && error?.context.column == column)
        #expect(error?.message.contains(cause) == true, "\(error?.message ?? "")")
        if column != nil || directive.hasPrefix("unchecked") { #expect(error?.hint?.contains(directive) == true) }
        #expect(try ServerScratch.recorded(server) == ["1"])
        let report = try Self.migrate("-- lockstep: \(directive)\n\(sql)", on: server)
        #expect(report.notices.contains { $0.message.contains("as declared") && $0.context.table == table })
    }

    @Test(
        "What a statement says passes, by whatever name and in whatever code",
        arguments: [
            "UPDATE total SET n = 5;", "UPDATE ONLY total SET n = 5;", "UPDATE public.\"total\" AS t SET n = 5;",
            "WITH a AS (SELECT 1) UPDATE total SET n = 5;",
            "WITH a AS (UPDATE total SET n = 5 RETURNING n) SELECT * FROM a;",
            "INSERT INTO total VALUES (1, 7) ON CONFLICT (id) DO UPDATE SET n = 5;",
            "MERGE INTO total USING (SELECT 1 AS i) AS s ON s.i = total.id WHEN MATCHED THEN UPDATE SET n = 5;",
            "UPDATE totals SET number = 5;", "UPDATE shown SET number = 5;",
            "DO $$BEGIN UPDATE total SET n = 5; END$$;",
            "DO $x$BEGIN EXECUTE 'UPDATE total SET n = 5'; END$x$;",
            "ALTER TABLE total RENAME TO sums; UPDATE sums SET n = 5;",
            "UPDATE total SET n = 5; ALTER TABLE total RENAME TO sums;",
            "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'UPDATE total SET n = 5'; SELECT f();",
        ])
    func said(_ sql: String) throws {
        let server = try TestServer.connection()
        let report = try Self.migrate(sql, on: server)
        #expect(report.steps.count == 2 && report.notices.isEmpty)
        let name = sql.contains("sums") ? "sums" : "total"
        #expect(try server.value("SELECT n FROM \(name: name)") == 5)
    }

    @Test("A trigger of the same version does not say for it what it writes")
    func newTrigger() throws {
        let server = try TestServer.connection()
        let sql = """
            CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN UPDATE profile SET name = ''; RETURN NULL; END$$;
            CREATE TRIGGER spoils AFTER DELETE ON total EXECUTE FUNCTION spoil();
            -- lockstep: allow loss of table total
            DELETE FROM total;
            """
        #expect(refused(.valuesLost) { _ = try Self.migrate(sql, on: server) }?.context.table == "profile")
    }

    @Test("A parent to which rows were only added is not the cause")
    func addedParents() throws {
        let server = try TestServer.connection()
        let base = ServerScratch.up(
            """
            CREATE TABLE p (id int PRIMARY KEY);
            CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p ON DELETE SET NULL ON UPDATE CASCADE, n int);
            INSERT INTO p VALUES (1);
            INSERT INTO c VALUES (1, 1, 1);
            CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN UPDATE c SET n = 0; RETURN NULL; END$$;
            CREATE TRIGGER spoils AFTER INSERT ON p EXECUTE FUNCTION spoil();
            """)
        let set = try ServerScratch.set(base, ServerScratch.up("INSERT INTO p VALUES (2);"))
        let error = refused(.valuesLost) { _ = try ServerMigrator(set).run(on: server) }
        #expect(error?.context.table == "c" && error?.context.column == nil)
        #expect(error?.message.contains("a trigger") == true, "\(error?.message ?? "")")
    }

    @Test("An update that moves rows to other partitions loses none, and rows that go beside it are seen")
    func partitions() throws {
        let server = try TestServer.connection()
        let base = ServerScratch.up(
            """
            CREATE TABLE reading (id int, day int) PARTITION BY RANGE (day);
            CREATE TABLE day_1 PARTITION OF reading FOR VALUES FROM (1) TO (2);
            CREATE TABLE day_2 PARTITION OF reading FOR VALUES FROM (2) TO (3);
            INSERT INTO reading SELECT i, 1 + i % 2 FROM generate_series(1, 10) AS i;
            """)
        let moved = ServerScratch.up("UPDATE reading SET day = 3 - day WHERE day = 1;")
        let report = try ServerMigrator(ServerScratch.set(base, moved)).run(on: server)
        #expect(report.notices.isEmpty && report.steps.count == 2)
        #expect(try server.value("SELECT count(*) FROM day_2") == 10)
        // As many rows go each way: each partition has deleted and inserted ones.
        let split = ServerScratch.up("UPDATE reading SET day = 1 WHERE id % 2 = 0;")
        let exchanged = ServerScratch.up("UPDATE reading SET day = 3 - day;")
        let more = try ServerMigrator(ServerScratch.set(base, moved, split, exchanged)).run(on: server)
        #expect(more.notices.isEmpty && more.steps.count == 2)
        for loss in [
            "UPDATE reading SET day = 1; DELETE FROM reading WHERE id < 3;", "DELETE FROM reading WHERE id < 3;",
        ] {
            let set = try ServerScratch.set(base, moved, split, exchanged, ServerScratch.up(loss))
            let error = refused(.rowsLost) { _ = try ServerMigrator(set).run(on: server) }
            #expect(error?.context.table == "reading" && error?.hint?.contains("loss of table reading") == true)
        }
    }

    @Test("What an extension writes to a table of its own is no loss, unless the version names the table")
    func extensions() throws {
        let server = try TestServer.connection()
        for sql in [
            "CREATE TABLE film (id int PRIMARY KEY, title text)", "INSERT INTO film VALUES (1, 'a'), (2, 'b')",
            "CREATE TABLE chunk (id int)", "INSERT INTO chunk VALUES (1), (2), (3)",
            "ALTER EXTENSION plpgsql ADD TABLE chunk",
            """
            CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql
            AS $$BEGIN UPDATE chunk SET id = id + 10 WHERE id = 1; DELETE FROM chunk WHERE id = 2; RETURN NULL; END$$
            """,
            "CREATE TRIGGER note AFTER UPDATE ON film FOR EACH STATEMENT EXECUTE FUNCTION note()",
        ] { try server.execute(ServerSQL(verbatim: sql)) }
        let update = "UPDATE film SET title = upper(title);"
        let first = ServerScratch.up(update)
        _ = try ServerMigrator(ServerScratch.set(first)).run(on: server)
        let named = try ServerScratch.set(first, ServerScratch.up(update + " DELETE FROM chunk;"))
        refused(.rowsLost) { _ = try ServerMigrator(named).run(on: server) }
        let dropped = try ServerScratch.set(
            first, ServerScratch.up("ALTER EXTENSION plpgsql DROP TABLE chunk; DROP TABLE chunk;"))
        refused(.rowsLost) { _ = try ServerMigrator(dropped).run(on: server) }
    }
}
