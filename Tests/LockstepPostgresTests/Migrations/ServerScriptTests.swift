#if Postgres
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
                "-- lockstep: no transaction", "-- lockstep: double quoted texts",
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
                _ = try ServerMigrator(
                    ServerScratch.set(ServerScratch.up("INSERT INTO t VALUES ('s3cret');"))
                ).run(on: server)
            }
            #expect(other?.message.contains("s3cret") == false)
        }
    }
#endif
