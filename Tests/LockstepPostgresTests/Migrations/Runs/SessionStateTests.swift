import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Versions on servers stand alone", .withServer)
struct SessionStateTests {
    @Test(
        "What a version sets for its session does not reach the next: one run does what several do",
        arguments: [
            "SET TIME ZONE 'America/New_York';", "SET session_replication_role = replica;", "SET lock_timeout = '7s';",
            "SET search_path = other;", "SET ROLE pg_monitor;", "CREATE TEMPORARY TABLE t (x int);",
            "SELECT pg_advisory_lock(7);", "SET app.tenant = '5';", "DECLARE c CURSOR WITH HOLD FOR SELECT 1;",
            "DO $$BEGIN PERFORM set_config('standard_conforming_strings', 'off', false); END$$;",
        ])
    func alone(_ change: String) throws {
        let server = try TestServer.connection()
        try server.execute("CREATE SCHEMA other")
        try server.execute("SET statement_timeout = '77s'")
        let question: ServerSQL = """
            SELECT concat_ws('|', current_setting('TimeZone'), current_setting('session_replication_role'),
                current_setting('lock_timeout'), current_setting('search_path'), current_user, to_regclass('t'),
                (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
                nullif(current_setting('app.tenant', true), ''), (SELECT count(*) FROM pg_cursors WHERE is_holdable),
                current_setting('standard_conforming_strings'), current_setting('statement_timeout'))
            """
        let before: String? = try server.value(question)
        let set = try ServerScratch.set(
            ServerScratch.up(change),
            ServerScratch.up("CREATE TABLE seen AS SELECT current_setting('TimeZone') AS zone;"))
        _ = try ServerMigrator(set).run(on: server)
        #expect(try server.value(question) == before)
        #expect(try server.value("SELECT zone FROM seen") == "UTC")
    }

    @Test("Foreign keys that one version does not want are there for the next")
    func foreignKeys() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(
            ServerScratch.up(
                "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (a int REFERENCES a); SET session_replication_role = replica;"
            ),
            ServerScratch.up("INSERT INTO b VALUES (42);"))
        refused(.migrationFailed) { _ = try ServerMigrator(set).run(on: server) }
        #expect(try ServerScratch.recorded(server) == ["1"])
    }

    @Test("What the program itself had set, locked and made stays")
    func kept() throws {
        let server = try TestServer.connection()
        try server.execute("SET work_mem = '5MB'")
        try server.execute("SELECT pg_advisory_lock(9)")
        try server.execute("CREATE TEMPORARY TABLE own (x int)")
        let statement = try server.prepare("SELECT $1::int + 1")
        _ = try ServerMigrator(ServerScratch.set(ServerScratch.up("CREATE TABLE t ();"))).run(on: server)
        #expect(try server.value("SELECT current_setting('work_mem')") == "5MB")
        #expect(try server.value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == 1)
        try server.execute("INSERT INTO own VALUES (1)")
        #expect(try statement.query(1) { try $0[0] as Int } == [2])
    }
}
