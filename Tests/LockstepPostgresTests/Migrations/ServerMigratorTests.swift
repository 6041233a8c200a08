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

    @Test("A transaction around a run is refused") func misuse() throws {
        let server = try TestServer.connection()
        try server.transaction { server in
            refused(.misuse) { _ = try ServerMigrator(ServerScratch.set(two)).run(on: server) }
        }
    }
}
