import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Scripts that no server runs", .withServer)
struct ServerScriptTests {
    @Test(
        "What ends a transaction, needs psql or is for SQLite is refused with file and line before anything runs",
        arguments: [
            "BEGIN;", "commit ;", "/* a */ COMMIT;", "End;", "ROLLBACK;", "ABORT;",
            "SAVEPOINT a;",
            "RELEASE a;", "PREPARE TRANSACTION 'a';", "START TRANSACTION;",
            "COPY t FROM STDIN;",
            "COPY t (a) FROM stdin WITH (FORMAT csv);", "COPY t TO STDOUT;", "\\i other.sql",
            "-- lockstep: rebuild table t", "-- lockstep: foreign keys off",
            "VACUUM FULL t;", "VACUUM (FULL, VERBOSE) t;", "CREATE DATABASE d;",
            "DROP DATABASE d;", "ALTER SYSTEM SET fsync = off;",
            "ALTER TABLE t DETACH PARTITION u CONCURRENTLY;",
            "REINDEX SCHEMA CONCURRENTLY public;",
            "CREATE INDEX CONCURRENTLY ON t (a);", "CREATE INDEX CONCURRENTLY i ON t (a);",
            "DROP INDEX CONCURRENTLY i;", "REINDEX TABLE CONCURRENTLY t;", "VACUUM t;",
            "PRAGMA foreign_keys = off;", "INSERT OR REPLACE INTO t VALUES ('a');",
            "REPLACE INTO t VALUES ('a');", "ATTACH 'a' AS b;",
            "CREATE VIRTUAL TABLE v USING fts5 (a);",
            "CREATE TABLE u (id INTEGER PRIMARY KEY AUTOINCREMENT);",
            "CREATE TABLE u (id TEXT PRIMARY KEY) WITHOUT ROWID;",
            "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END;",
            "-- lockstep: drop column a", "-- lockstep: report rows",
            "-- lockstep: double quoted texts",
            "-- lockstep: backfill t batch=5",
        ])
    func refusals(_ line: String) throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(ServerScratch.up("CREATE TABLE t (a text);\n\(line)\n"))
        let error = refused(.migrationMalformed) { _ = try ServerMigrator(set).run(on: server) }
        #expect(error?.context.line == 3 && error?.context.file == "0001_step.sql")
        #expect(error?.hint != nil)
        #expect(try ServerScratch.tables(server).isEmpty)
        #expect(try ServerScratch.recorded(server).isEmpty)
    }

    @Test(
        "A refusal in a later version, its way down or a repeatable keeps the first from running"
    )
    func later() throws {
        let server = try TestServer.connection()
        let first = ServerScratch.up("CREATE TABLE t (a text);", down: "DROP TABLE t; COMMIT;")
        let set = try ServerScratch.set(first, ServerScratch.up("PRAGMA user_version;"))
        let error = refused(.migrationMalformed) { _ = try ServerMigrator(set).run(on: server) }
        #expect(error?.context.file == "0002_step.sql")
        #expect(try ServerScratch.tables(server).isEmpty)
        let sound = try ServerMigrator(ServerScratch.set(first))
        _ = try sound.run(on: server)
        refused(.migrationMalformed) { _ = try sound.run(.back(1), on: server) }
        #expect(try ServerScratch.recorded(server) == ["1"])
        let preview = try ServerMigrator(set).preview(on: server)
        #expect(preview.isBlocked && preview.lint.map(\.rule) == ["refused"])
        #expect(preview.lint.map { "\($0.file):\($0.line)" } == ["0002_step.sql:2"])
    }

    @Test(
        "What is like SQLite's, or like a statement for outside, but is not",
        arguments: [
            "CREATE TABLE \"autoincrement\" (without_rowid int);",
            "REINDEX TABLE t;", "CREATE TABLE u (vacuum int, \"full\" int);",
            "SELECT 'PRAGMA', $$COMMIT;$$; /* VACUUM FULL */",
            "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$begin return new; end$$; "
                + "CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f();",
            "INSERT INTO t VALUES ('a') ON CONFLICT DO NOTHING;",
        ])
    func alike(_ sql: String) throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(ServerScratch.up("CREATE TABLE t (a text);\n\(sql)\n"))
        #expect(try ServerMigrator(set).run(on: server).steps.count == 1)
    }

    @Test(
        "BEGIN and COMMIT around the whole of a file say what a version is, and nothing else is taken for them",
        arguments: [
            "BEGIN;|COMMIT;", "begin work;|End;", "START TRANSACTION;|commit transaction;", "-- a\nBEGIN ;|COMMIT",
        ])
    func wrapped(_ around: String) throws {
        let server = try TestServer.connection()
        let parts = around.split(separator: "|").map(String.init)
        let body = "CREATE TABLE t (a text); INSERT INTO t VALUES ('a');"
        let set = try ServerScratch.set(ServerScratch.up("\(parts[0])\n\(body)\n\(parts[1])"))
        #expect(try ServerMigrator(set).run(on: server).steps.first?.statements == 2)
        for odd in [
            "\(parts[0]) \(body)", "\(body) \(parts[1])", "\(parts[0]) \(body) COMMIT; \(parts[1])",
            "\(parts[0]) \(body) \(parts[1]); SELECT 1;", "BEGIN ISOLATION LEVEL SERIALIZABLE; \(body) \(parts[1])",
        ] {
            refused(.migrationMalformed) {
                _ = try ServerMigrator(ServerScratch.set(ServerScratch.up(odd))).plan(.latest, on: server)
                _ = try ServerMigrator(ServerScratch.set(ServerScratch.up(odd))).run(on: TestServer.connection())
            }
        }
    }

    @Test("COMMIT inside a block or procedure fails, and leaves nothing")
    func hidden() throws {
        let server = try TestServer.connection()
        for sql in [
            "CREATE TABLE t (); DO $$BEGIN COMMIT; END$$;",
            "CREATE TABLE t (); CREATE PROCEDURE p() LANGUAGE plpgsql AS $$BEGIN COMMIT; END$$; CALL p();",
        ] {
            refused(.migrationFailed) {
                _ = try ServerMigrator(ServerScratch.set(ServerScratch.up(sql))).run(on: server)
            }
        }
        #expect(try ServerScratch.tables(server).isEmpty)
    }

    @Test(
        "A failing statement is named with the line that the server points at, without values")
    func place() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(
            ServerScratch.up("CREATE TABLE t (a int);\n\nSELECT a,\n  b\nFROM t;"),
            ServerScratch.up("INSERT INTO t VALUES ('s3cret');"))
        let error = refused(.migrationFailed) { _ = try ServerMigrator(set).run(on: server) }
        #expect(error?.context.line == 5 && error?.context.sqlState == "42703")
        #expect(error?.message.hasPrefix("test/0001_step.sql:5: ") == true)
        try server.execute("CREATE TABLE t (a int)")
        let other = refused(.migrationFailed) {
            _ = try ServerMigrator(ServerScratch.set(ServerScratch.up("INSERT INTO t VALUES ('s3cret');"))).run(
                on: server)
        }
        #expect(other?.message.contains("s3cret") == false)
    }
}
