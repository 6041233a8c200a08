import Lockstep
import Synchronization
import TestServers
import Testing

@testable import LockstepPostgres

@Suite(
    "Redo, repeatable migrations, rehearsals and cancelled statements on a server", .withServer)
struct ServerWaysTests {
    private let two = [
        ServerScratch.up("CREATE TABLE a (i bigint);", down: "DROP TABLE a;"),
        ServerScratch.up("CREATE TABLE b (i bigint);", down: "DROP TABLE b;"),
    ]

    @Test("A redo undoes the newest versions and applies their files as they are now")
    func redo() throws {
        let server = try TestServer.connection()
        let migrator = ServerMigrator(try ServerScratch.set(two))
        _ = try migrator.run(on: server)
        let report = try migrator.run(.redo(2), on: server)
        #expect(
            report.steps.map { "\($0.isUp ? "up" : "down") \($0.version)" } == ["down 2", "down 1", "up 1", "up 2"])
        // What cannot be applied again is not undone: the script of the third is read before.
        let broken = try ServerScratch.set(two + [ServerScratch.up("CREATE TABLE c ();", down: "DROP TABLE c;")])
        _ = try ServerMigrator(broken).run(on: server)
        let edited = try ServerScratch.set(two + [ServerScratch.up("COMMIT;", down: "DROP TABLE c;")])
        let redo = ServerMigrator(edited, recordedDown: .allowed)
        refused(.migrationMalformed) { _ = try redo.run(.redo(1), on: server) }
        #expect(try ServerScratch.recorded(server) == ["1", "2", "3"])
    }

    private static func flyway(_ view: String, _ second: String? = nil) throws -> MigrationSet {
        try MigrationSet(
            name: "test", layout: .flyway,
            files: [(name: "V1__a.sql", content: "CREATE TABLE a (i bigint);"), (name: "R__view.sql", content: view)]
                + (second.map { [(name: "R__z.sql", content: $0)] } ?? []), engine: .postgres)
    }

    @Test("Repeatable migrations run after the versions, and again when they have changed") func repeatables() throws {
        let server = try TestServer.connection()
        let view = "CREATE OR REPLACE VIEW v AS SELECT i FROM a;"
        let first = try ServerMigrator(Self.flyway(view)).run(on: server)
        #expect(first.steps.count == 1 && first.repeated.map(\.name) == ["view"])
        #expect(try ServerMigrator(Self.flyway(view)).run(on: server).repeated.isEmpty)
        let changed = "CREATE OR REPLACE VIEW v AS SELECT i, 1 AS n FROM a;"
        let set = try Self.flyway(changed, "SELECT 1/0;")
        #expect(try ServerMigrator(set).preview(on: server).steps.map(\.title).count == 2)
        var report = MigrationReport()
        refused(.migrationFailed) { try ServerMigrator(set).run(on: server, into: &report) }
        #expect(report.repeated.map(\.name) == ["view"])
        #expect(
            try ServerMigrator.history(server).repeated.map(\.name) == ["view"])
        let outside = try Self.flyway("VACUUM;")
        let error = refused(.migrationMalformed) {
            _ = try ServerMigrator(outside).run(on: server)
        }
        #expect(error?.message.contains("must be one transaction") == true)
    }

    @Test("A rehearsal runs on a copy, counts its rows, and leaves the database as it is") func rehearsal() throws {
        let shared = try TestServer.shared.get()
        let address = try shared.address()
        _ = try ServerMigrator(ServerScratch.set([two[0]])).run(on: ServerConnection(address))
        let admin = try ServerConnection(shared.address(of: "postgres"))
        let name = address.database + "_copy"
        try admin.execute("CREATE DATABASE \(name: name) TEMPLATE \(name: address.database)")
        let original = try ServerConnection(address)
        let copy = try ServerConnection(shared.address(of: name))
        let set = try ServerScratch.set(
            two + [
                ServerScratch.up("INSERT INTO b VALUES (1), (2);"),
                ServerScratch.up("SELECT 1/0;"),
            ])
        let rehearsal = ServerRehearsal([set])
        refused(.misuse) { _ = try rehearsal.run(of: original, on: original) }
        let report = try rehearsal.run(of: original, on: copy)
        #expect(report.steps.map(\.version.description) == ["2", "3"])
        #expect(
            report.steps.map(\.rows) == [
                [.init(table: "public.b", before: nil, after: 0)], [.init(table: "public.b", before: 0, after: 2)],
            ])
        #expect(report.failure?.code == .migrationFailed && !report.isClean)
        #expect(report.logBytes > 0 && report.bytesBefore > 0)
        #expect(try ServerScratch.recorded(original) == ["1"])
        #expect(try ServerScratch.tables(original) == ["a"])
        // What has run there makes it a copy no more.
        refused(.misuse) { _ = try rehearsal.run(of: original, on: copy) }
    }

    @Test("A statement that is no longer wanted is cancelled, and a commit never")
    func cancelled() throws {
        let isWanted = Mutex(false)
        var options = ServerOptions()
        options.shouldContinue = { isWanted.withLock { $0 } }
        let server = try ServerConnection(
            TestServer.shared.get().address(), .none, options)
        let set = try ServerScratch.set(ServerScratch.up("CREATE TABLE a (i bigint);\nSELECT pg_sleep(1000);"))
        refused(.interrupted) { _ = try ServerMigrator(set).run(on: server) }
        #expect(try ServerScratch.tables(server).isEmpty)
        // A commit that takes long: a deferred trigger runs in it.
        let slow = try ServerScratch.set(
            ServerScratch.up(
                """
                CREATE TABLE a (i bigint);
                CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END$$;
                CREATE CONSTRAINT TRIGGER g AFTER INSERT ON a DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION f();
                INSERT INTO a VALUES (1);
                """))
        let migrator = ServerMigrator(slow) { event in
            isWanted.withLock { $0 = event != .committing }
        }
        #expect(try migrator.run(.version(MigrationVersion(1)), on: server).steps.count == 1)
        #expect(try ServerScratch.recorded(server) == ["1"])
    }

    @Test("What keeps others waiting or surprises later is a finding, where the table has rows") func lint() throws {
        let server = try TestServer.connection()
        try server.execute("CREATE TABLE t (i bigint, n bigint)")
        let script = ServerScratch.up(
            """
            CREATE TABLE u (id serial PRIMARY KEY);
            CREATE INDEX t_i ON t (i);
            ALTER TABLE t ALTER COLUMN i SET NOT NULL;
            ALTER TABLE t ADD COLUMN createdAt bigint, ADD COLUMN "changedAt" bigint;
            CREATE INDEX u_id ON u (id);
            ALTER TABLE t ALTER n TYPE int;
            ALTER TABLE t ADD COLUMN type uuid DEFAULT gen_random_uuid();
            ALTER TABLE t ADD CONSTRAINT t_n CHECK (n > 0), ADD CONSTRAINT t_u FOREIGN KEY (n) REFERENCES u;
            ALTER TABLE t ADD COLUMN state text DEFAULT 'new', ADD CONSTRAINT t_i CHECK (i > 0) NOT VALID;
            ALTER TABLE t ALTER COLUMN "state" SET DEFAULT 'type';
            """)
        let migrator = ServerMigrator(try ServerScratch.set(script))
        func found() throws -> [String] {
            try migrator.preview(on: server).lint.map { "\($0.line) \($0.rule) \($0.level)" }
        }
        #expect(try found() == ["2 serial note", "5 folded-name warning"])
        try server.execute("INSERT INTO t VALUES (1, 1)")
        #expect(
            try found() == [
                "2 serial note", "3 blocking-index warning", "4 set-not-null warning", "5 folded-name warning",
                "7 table-rewrite warning", "8 table-rewrite warning", "9 not-valid warning",
            ])
    }
}
