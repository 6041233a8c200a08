import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Rows that a version loses on a server", .withServer)
struct ServerGuardTests {
    private static let base = ServerScratch.up(
        """
        CREATE TABLE parent (id bigint PRIMARY KEY);
        CREATE TABLE child (id bigint PRIMARY KEY, parent bigint REFERENCES parent ON DELETE CASCADE, n int);
        CREATE TABLE nothing (id bigint);
        INSERT INTO parent VALUES (1), (2);
        INSERT INTO child SELECT i, 1, i FROM generate_series(1, 20) AS i;
        CREATE TABLE stock (id bigint);
        CREATE TABLE more () INHERITS (stock);
        INSERT INTO stock VALUES (1), (2);
        INSERT INTO more VALUES (3), (4);
        CREATE TABLE spent (id bigint);
        INSERT INTO spent VALUES (1);
        DELETE FROM spent;
        """)

    @Test(
        "A loss rolls back the version, however it comes about, and passes where it is declared",
        arguments: [
            ("DELETE FROM child WHERE id = 3;", ["child"]), ("DELETE FROM parent WHERE id = 1;", ["parent", "child"]),
            ("DROP TABLE child;", ["child"]),
            ("DROP TABLE parent CASCADE;", ["parent"]),
            ("TRUNCATE child;", ["child"]), ("TRUNCATE ONLY stock; INSERT INTO stock VALUES (9);", ["stock"]),
            ("TRUNCATE parent CASCADE;", ["parent", "child"]),
            ("TRUNCATE child; INSERT INTO child VALUES (1, 1, 1);", ["child"]),
            ("DO $$BEGIN EXECUTE 'TRUNCATE child'; END$$;", ["child"]),
            ("ALTER TABLE child ALTER n TYPE bigint; TRUNCATE child;", ["child"]),
            ("INSERT INTO child VALUES (50, 2, 1); DELETE FROM child WHERE id < 4;", ["child"]),
            (
                "INSERT INTO child VALUES (50, 2, 1); UPDATE child SET n = 0 WHERE id > 2; DELETE FROM child WHERE id = 9;",
                ["child"]
            ),
            (
                "INSERT INTO child SELECT i, 2, 1 FROM generate_series(50, 90) AS i; DELETE FROM parent WHERE id = 1;",
                ["parent", "child"]
            ),
            ("DELETE FROM child; INSERT INTO child SELECT i, 1, 0 FROM generate_series(1, 20) AS i;", ["child"]),
            (
                "ALTER TABLE child ALTER n TYPE bigint; INSERT INTO child VALUES (50, 1, 1); DELETE FROM child WHERE id < 4;",
                ["child"]
            ),
        ])
    func losses(_ sql: String, _ tables: [String]) throws {
        let server = try TestServer.connection()
        let error = refused(.rowsLost) {
            _ = try ServerMigrator(ServerScratch.set(Self.base, ServerScratch.up(sql))).run(on: server)
        }
        #expect(tables.contains(error?.context.table ?? ""))
        #expect(try server.value("SELECT count(*) FROM child") == 20)
        #expect(try ServerScratch.recorded(server) == ["1"])
        let declared = tables.map { "-- lockstep: allow loss of table \($0)\n" }.joined() + sql
        let report = try ServerMigrator(
            ServerScratch.set(Self.base, ServerScratch.up(declared))
        ).run(on: server)
        #expect(report.notices.count { $0.code == .rowsLost } == tables.count)
    }

    @Test(
        "A column that goes with its values rolls back the version, and passes where it is declared",
        arguments: [
            "ALTER TABLE child DROP COLUMN n;", "ALTER TABLE child ADD COLUMN m int, DROP n;",
            "DO $$BEGIN EXECUTE 'ALTER TABLE child DROP COLUMN n'; END$$;",
            "ALTER TABLE child DROP COLUMN n; ALTER TABLE child ADD COLUMN n int;",
        ], ["column child.n", "table child"])
    func columns(_ sql: String, _ declaration: String) throws {
        let server = try TestServer.connection()
        let error = refused(.valuesLost) {
            _ = try ServerMigrator(ServerScratch.set(Self.base, ServerScratch.up(sql))).run(on: server)
        }
        #expect(error?.context.table == "child" && error?.context.column == "n")
        #expect(try server.value("SELECT count(n) FROM child") == 20)
        let declared = "-- lockstep: allow loss of \(declaration)\n\(sql)"
        let report = try ServerMigrator(ServerScratch.set(Self.base, ServerScratch.up(declared))).run(on: server)
        #expect(report.notices.map(\.code) == [.valuesLost])
    }

    @Test("A column that a version makes again and fills is kept")
    func madeAgain() throws {
        let server = try TestServer.connection()
        let sql = """
            ALTER TABLE child ADD COLUMN text text;
            UPDATE child SET text = n;
            ALTER TABLE child DROP COLUMN n;
            ALTER TABLE child RENAME COLUMN text TO n;
            """
        let report = try ServerMigrator(ServerScratch.set(Self.base, ServerScratch.up(sql))).run(on: server)
        #expect(report.notices.isEmpty)
        #expect(try server.value("SELECT count(n) FROM child") == 20)
    }

    @Test("A column of a partitioned table is declared by the table's name, whatever partitions a program has made")
    func partitions() throws {
        let server = try TestServer.connection()
        let base = ServerScratch.up("CREATE TABLE reading (id int, day int, value int) PARTITION BY RANGE (day);")
        _ = try ServerMigrator(ServerScratch.set(base)).run(on: server)
        try server.execute("CREATE TABLE day_1 PARTITION OF reading FOR VALUES FROM (1) TO (2)")
        let sql = "ALTER TABLE reading DROP COLUMN value;"
        try server.execute("INSERT INTO reading VALUES (1, 1, 5)")
        let error = refused(.valuesLost) {
            _ = try ServerMigrator(ServerScratch.set(base, ServerScratch.up(sql))).run(on: server)
        }
        #expect(error?.context.table == "reading" && error?.hint?.contains("reading.value") == true)
        let declared = "-- lockstep: allow loss of column reading.value\n\(sql)"
        let report = try ServerMigrator(ServerScratch.set(base, ServerScratch.up(declared))).run(on: server)
        #expect(report.notices.map(\.code) == [.valuesLost])
    }

    @Test("A plan names what its statements take away, and how to declare it")
    func planned() throws {
        let server = try TestServer.connection()
        _ = try ServerMigrator(ServerScratch.set(Self.base)).run(on: server)
        for (sql, rule) in [
            ("ALTER TABLE child DROP COLUMN n;", "drop-column"), ("DELETE FROM child;", "delete-all"),
            ("TRUNCATE child;", "delete-all"), ("DROP TABLE parent, child;", "drop-table"),
            ("DELETE FROM child WHERE id = 1;", "delete-all"), ("UPDATE child SET n = 0;", "update-all"),
        ] {
            let set = try ServerScratch.set(Self.base, ServerScratch.up(sql))
            let preview = try ServerMigrator(set).preview(on: server)
            #expect(preview.lint.contains { $0.rule == rule }, "\(sql): \(preview.lint)")
        }
        let empty = try ServerScratch.set(Self.base, ServerScratch.up("DROP TABLE nothing; TRUNCATE nothing;"))
        #expect(try ServerMigrator(empty).preview(on: server).lint.isEmpty)
    }

    @Test("Rows that a policy hides from the role are rows")
    func hidden() throws {
        let shared = try TestServer.shared.get()
        let address = try shared.address()
        let operate = try ServerConnection(address)
        let role = "owner_\(address.database)"
        try operate.execute("CREATE ROLE \(name: role) LOGIN")
        try operate.execute("GRANT CREATE ON SCHEMA public TO \(name: role)")
        let server = try ServerConnection(shared.address(of: address.database, user: role))
        let hiding = ServerScratch.up(
            """
            CREATE POLICY nobody ON child USING (false);
            ALTER TABLE child ENABLE ROW LEVEL SECURITY;
            ALTER TABLE child FORCE ROW LEVEL SECURITY;
            """)
        _ = try ServerMigrator(ServerScratch.set(Self.base, hiding)).run(on: server)
        #expect(try server.value("SELECT count(*) FROM child") == 0)
        let error = refused(.valuesLost) {
            let dropping = ServerScratch.up("ALTER TABLE child DROP COLUMN n;")
            _ = try ServerMigrator(ServerScratch.set(Self.base, hiding, dropping)).run(on: server)
        }
        #expect(error?.context.column == "n")
        for loss in ["DROP TABLE child;", "TRUNCATE child;"] {
            let set = try ServerScratch.set(Self.base, hiding, ServerScratch.up(loss))
            let error = refused(.rowsLost) { _ = try ServerMigrator(set).run(on: server) }
            #expect(error?.context.table == "child")
        }
        #expect(try operate.value("SELECT count(*) FROM child") == 20)
    }

    @Test("Where the server counts no changes, no version runs", arguments: [true, false])
    func uncounted(_ isBefore: Bool) throws {
        let server = try TestServer.connection()
        if isBefore { try server.execute("SET track_counts = off") }
        let set = try ServerScratch.set(
            ServerScratch.up("CREATE TABLE t ();\(isBefore ? "" : " SET LOCAL track_counts = off;")"))
        refused(.serverUnsupported) { _ = try ServerMigrator(set).run(on: server) }
        #expect(try ServerScratch.tables(server).isEmpty)
    }

    @Test(
        "What keeps the rows passes",
        arguments: [
            "ALTER TABLE child ALTER n TYPE bigint;",
            "ALTER TABLE child ADD COLUMN r double precision DEFAULT random();",
            "UPDATE child SET n = NULL; ALTER TABLE child ADD COLUMN m int; ALTER TABLE child DROP COLUMN m;",
            "ALTER TABLE child RENAME n TO old; ALTER TABLE child ADD n int; UPDATE child SET n = old; ALTER TABLE child DROP old;",
            "DROP TABLE nothing;", "TRUNCATE nothing;",
            // Pages without rows.
            "DROP TABLE spent;", "TRUNCATE spent;", "ALTER TABLE spent ALTER id TYPE int;",
            "ALTER TABLE child ALTER n TYPE bigint; INSERT INTO child VALUES (50, 2, 1);",
            "ALTER TABLE child RENAME TO kid; ALTER TABLE kid SET SCHEMA pg_temp_x;",
            "CREATE TABLE new (i bigint); INSERT INTO new VALUES (1); DROP TABLE new;",
            "INSERT INTO child VALUES (50, 2, 1), (51, 2, 1); DELETE FROM child WHERE id = 50;",
            "CREATE TEMPORARY TABLE s (i int) ON COMMIT DROP; INSERT INTO s VALUES (1); DELETE FROM s;",
        ])
    func kept(_ sql: String) throws {
        let server = try TestServer.connection()
        try server.execute("CREATE SCHEMA other")
        let script = sql.replacing("pg_temp_x", with: "other")
        let set = try ServerScratch.set(Self.base, ServerScratch.up(script))
        let report = try ServerMigrator(set).run(on: server)
        #expect(report.steps.count == 2 && report.notices.isEmpty)
    }
}
