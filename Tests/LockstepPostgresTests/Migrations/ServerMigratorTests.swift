import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Migrations on servers", .withServer)
struct ServerMigratorTests {
    private let two = [
        ServerScratch.up(
            """
            CREATE TABLE movies (id bigint PRIMARY KEY, title text NOT NULL);
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $f$
            BEGIN
                NEW.title := upper(NEW.title); -- ;
                RETURN NEW;
            END
            $f$;
            CREATE TRIGGER up BEFORE INSERT ON movies FOR EACH ROW EXECUTE FUNCTION f();
            INSERT INTO movies VALUES (1, 'a;b');
            """,
            down: "-- lockstep: allow loss of table movies\nDROP TABLE movies; DROP FUNCTION f;"
        ),
        ServerScratch.up(
            "ALTER TABLE movies ADD COLUMN year int;",
            down: "ALTER TABLE movies DROP COLUMN year;"),
    ]

    @Test(
        "Versions are applied once, recorded with checksums, and undone with their files' ways down"
    )
    func upAndDown() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(two)
        let migrator = ServerMigrator(set)
        #expect(try migrator.plan(.latest, on: server).steps.count == 2)
        let report = try migrator.run(on: server)
        #expect(report.steps.map(\.statements) == [4, 1] && report.steps.allSatisfy(\.isUp))
        #expect(try server.value("SELECT title FROM movies") == "A;B")
        #expect(try ServerScratch.recorded(server) == ["1", "2"])
        #expect(try migrator.run(on: server).steps.isEmpty)
        #expect(
            try Plan(set, history: ServerMigrator.history(server), target: .latest).findings
                .isEmpty)
        #expect(
            try migrator.run(.back(1), on: server).steps.map(\.version.description) == ["2"])
        #expect(try migrator.run(.version(MigrationVersion(2)), on: server).steps.count == 1)
        let down = try migrator.run(.downTo(.unversioned), on: server)
        #expect(down.steps.map(\.version.description) == ["2", "1"] && !down.steps.contains(where: \.isUp))
        #expect(
            try ServerScratch.tables(server).isEmpty && ServerScratch.recorded(server).isEmpty)
        #expect(down.notices.contains { $0.code == .rowsLost })
    }

    @Test("A version that fails leaves nothing, and those before it stay")
    func failure() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(
            two + [ServerScratch.up("CREATE TABLE x (); SELECT 1/0;")])
        var report = MigrationReport()
        refused(.migrationFailed) { try ServerMigrator(set).run(on: server, into: &report) }
        #expect(report.steps.count == 2)
        #expect(try ServerScratch.tables(server) == ["movies"])
        #expect(try ServerScratch.recorded(server) == ["1", "2"])
    }

    @Test("A changed file, a foreign row and a view in the ledger's place are noticed") func ledger() throws {
        let server = try TestServer.connection()
        _ = try ServerMigrator(ServerScratch.set(two)).run(on: server)
        let changed = try ServerScratch.set([two[0], ServerScratch.up("ALTER TABLE movies ADD COLUMN y int;")])
        refused(.migrationChanged) { _ = try ServerMigrator(changed).run(on: server) }
        for change in ["version = '01'", "checksum_tokens = '\\x00'", "position = -1", "duration = -1"] {
            try server.execute("BEGIN")
            try server.execute("UPDATE lockstep_migration SET \(verbatim: change) WHERE version = '1'")
            refused(.tampered) { _ = try ServerMigrator.history(server) }
            try server.execute("ROLLBACK")
        }
        try server.execute("ALTER TABLE lockstep_migration RENAME TO other")
        try server.execute("CREATE VIEW lockstep_migration AS SELECT * FROM other")
        refused(.tampered) { _ = try ServerMigrator.history(server) }
    }

    @Test("Each schema has a ledger of its own, and a version's search path ends with it") func schemas() throws {
        let address = try TestServer.shared.get().address()
        let server = try ServerConnection(address)
        var options = ServerOptions()
        options.schema = "tenant \"1\""
        let tenant = try ServerConnection(address, .none, options)
        let set = try ServerScratch.set(
            ServerScratch.up("CREATE TABLE a (); SELECT set_config('search_path', '', false);"),
            ServerScratch.up("CREATE TABLE b ();"))
        refused(.notFound) { _ = try ServerMigrator(set).run(on: tenant) }
        try server.execute("CREATE SCHEMA \(name: "tenant \"1\"")")
        #expect(try ServerMigrator(set).run(on: tenant).steps.count == 2)
        #expect(
            try ServerScratch.tables(server).isEmpty && ServerScratch.recorded(server).isEmpty)
        #expect(try ServerMigrator(set).run(on: server).steps.count == 2)
        #expect(try ServerScratch.tables(server) == ["a", "b"])
    }

    @Test("A baseline records versions whose SQL does not run")
    func baseline() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(two)
        refused(.migrationMissing) {
            try ServerBaseline(set, at: MigrationVersion(3)).record(on: server)
        }
        #expect(try ServerBaseline(set, at: MigrationVersion(1)).record(on: server) == 1)
        #expect(
            try ServerScratch.tables(server).isEmpty && ServerScratch.recorded(server) == ["1"])
        #expect(try ServerBaseline(set, at: MigrationVersion(2)).record(on: server) == 1)
        refused(.alreadyExists) {
            try ServerBaseline(set, at: MigrationVersion(2)).record(on: server)
        }
    }

    @Test("A set that was read for files is refused, and so is a transaction around a run") func misuse() throws {
        let server = try TestServer.connection()
        let set = try MigrationSet(name: "test", files: [(name: "0001_a.sql", content: two[1])])
        refused(.misuse) { _ = try ServerMigrator(set).run(on: server) }
        refused(.misuse) { _ = try ServerMigrator(set).plan(.latest, on: server) }
        try server.transaction { server in
            refused(.misuse) { _ = try ServerMigrator(ServerScratch.set(two)).run(on: server) }
        }
    }
}
