import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Verifications of servers", .withServer)
struct ServerVerificationTests {
    private let scratch: CopyScratch
    private let address: ServerAddress

    init() throws {
        scratch = try CopyScratch()
        try scratch.fill(12)
        _ = try Manifest.make(scratch.keyring, in: scratch.file)
        address = try TestServer.shared.get().address()
        let server = try ServerConnection(address)
        _ = try ServerCopy([scratch.set(.postgres)]).run(from: scratch.file, to: server)
    }

    private func report(
        keys: Bool = true, sample: Int? = nil
    ) throws -> VerificationReport {
        var options = ServerOptions()
        if keys { (options.fieldKeys, options.mayBeUnknown) = ([scratch.keys], true) }
        var verification = try ServerVerification(sets: [scratch.set(.postgres)])
        verification.publisher = try scratch.keyring.publishers().first
        verification.cellSample = sample
        return try verification.run(on: ServerConnection(address, .none, options))
    }

    private func failed(_ report: VerificationReport) -> [String] {
        report.outcomes.filter(\.hasFailed).map(\.check.rawValue)
    }

    @Test(
        "A copy holds in every respect, with keys and without; nothing of the verification stays"
    )
    func holds() throws {
        let report = try report()
        #expect(report.isClean, "\(report.outcomes.filter(\.hasFailed))")
        #expect(
            report.outcomes.map(\.check.rawValue) == [
                "server", "ledger", "drift", "constraints", "registry", "shape", "cells",
                "exposure", "orphans",
                "manifest",
            ])
        let skipped = report.outcomes.filter { !$0.isCarriedOut }
        #expect(skipped.isEmpty)
        #expect(report.outcomes[6].summary == "24 cells of 2 columns opened")
        #expect(try self.report(sample: 3).outcomes[6].summary.hasSuffix("a sample"))
        let without = try self.report(keys: false)
        #expect(without.isClean)
        #expect(without.outcomes.filter { !$0.isCarriedOut }.map(\.check.rawValue) == ["cells"])
        let server = try ServerConnection(address)
        #expect(
            try server.value(
                "SELECT count(*) FROM pg_namespace WHERE nspname = 'lockstep_fresh'",
                as: Int.self) == 0)
    }

    private func outcome(_ check: VerificationReport.Check, _ scripts: [String], _ server: borrowing ServerConnection)
        throws
        -> VerificationReport.Outcome
    {
        let set = try ServerScratch.set(scripts)
        _ = try ServerMigrator(set).run(on: server)
        let report = try ServerVerification(sets: [set]).run(on: server)
        return try #require(report.outcomes.first { $0.check == check })
    }

    @Test(
        "A set that reaches what a fresh run does not make is not compared, which is a failure, and changes nothing",
        arguments: [
            "SELECT setval('shop.orders_id_seq', 1000, false);", "INSERT INTO shop.orders (item) VALUES ('x');",
            "SELECT setval('\"shop\".orders_id_seq', 1000, false);", "SET search_path = shop; SELECT 1;",
            "DO $$BEGIN PERFORM setval('shop.orders_id_seq', 1000, false); END$$;",
            "DO $$BEGIN PERFORM set_config('search_path', 'shop', true); END$$;", "SET SCHEMA 'shop';",
        ])
    func scope(_ statement: String) throws {
        let server = try TestServer.connection()
        try server.execute("CREATE SCHEMA shop")
        try server.execute("CREATE TABLE shop.orders (id bigserial PRIMARY KEY, item text)")
        let set = try ServerScratch.set(ServerScratch.up(statement))
        _ = try ServerMigrator(set).run(on: server)
        try server.execute("INSERT INTO shop.orders (item) SELECT 'x' FROM generate_series(1, 50)")
        let before = try server.value("SELECT last_value FROM shop.orders_id_seq", as: Int.self)
        let report = try ServerVerification(sets: [set]).run(on: server)
        let drift = try #require(report.outcomes.first { $0.check == .drift })
        #expect(drift.hasFailed && !drift.isCarriedOut && drift.obstacle?.code == .notCompared)
        #expect(try server.value("SELECT last_value FROM shop.orders_id_seq", as: Int.self) == before)
    }

    @Test(
        "An extension in the schema, and a role that cannot make one, leave the schema not compared, which is a failure"
    )
    func notCompared() throws {
        let server = try TestServer.connection()
        try server.execute("CREATE EXTENSION pgcrypto")
        let one = try outcome(.drift, [ServerScratch.up("CREATE TABLE t (id int);")], server)
        #expect(one.hasFailed && !one.isCarriedOut)
    }

    @Test("Statements outside a transaction are compared as well, and so is what stands after them")
    func concurrently() throws {
        let server = try TestServer.connection()
        let scripts = [
            ServerScratch.up("CREATE TABLE t (id int, n int);"),
            ServerScratch.up(
                "-- lockstep: no transaction\nCREATE INDEX CONCURRENTLY i ON t (id);\nCREATE INDEX CONCURRENTLY j ON t (n);"
            ),
            ServerScratch.up("-- lockstep: no transaction\nDROP INDEX CONCURRENTLY j;\nVACUUM t;"),
        ]
        let clean = try outcome(.drift, scripts, server)
        #expect(clean.isCarriedOut && !clean.hasFailed, "\(clean.findings)")
        try server.execute("DROP INDEX i")
        #expect(try outcome(.drift, scripts, server).hasFailed)
    }

    @Test("Partitions that a program makes at run time are no drift, and what somebody hangs on them is")
    func partitions() throws {
        let server = try TestServer.connection()
        let scripts = [
            ServerScratch.up(
                """
                CREATE TABLE t (id int NOT NULL, d text) PARTITION BY RANGE (id);
                -- lockstep: plaintext t.*
                """), ServerScratch.up("CREATE INDEX ti ON t (id);"),
        ]
        _ = try ServerMigrator(ServerScratch.set(scripts[0])).run(on: server)
        try server.execute("CREATE TABLE t_1 PARTITION OF t FOR VALUES FROM (0) TO (10)")
        let clean = try outcome(.drift, scripts, server)
        #expect(clean.isCarriedOut && !clean.hasFailed, "\(clean.findings)")
        try server.execute("CREATE RULE r AS ON DELETE TO t_1 DO INSTEAD NOTHING")
        #expect(try outcome(.drift, scripts, server).hasFailed)
    }

    @Test(
        "What somebody changes on the server is found, by the check that its kind belongs to",
        arguments: [
            ("UPDATE lockstep_migration SET name = 'x' WHERE version = '1'", "ledger"),
            ("DELETE FROM lockstep_migration WHERE version = '1'", "ledger drift"),
            (
                "INSERT INTO lockstep_migration SELECT 9, 'other', version, name, checksum_bytes, checksum_text, checksum_tokens, down, applied_at, duration, tool_version FROM lockstep_migration WHERE version = '1'",
                "ledger drift"
            ),
            ("ALTER TABLE log ADD COLUMN more text", "drift exposure"),
            ("CREATE INDEX more ON log (line)", "drift"),
            ("CREATE VIEW more AS SELECT line FROM log", "drift"),
            ("CREATE FUNCTION more() RETURNS int LANGUAGE sql AS 'SELECT 1'", "drift"),
            ("ALTER TABLE films ALTER COLUMN year DROP NOT NULL", "drift"),
            ("ALTER TABLE films DROP CONSTRAINT lockstep_films_title_cell", "drift shape"),
            ("DROP TRIGGER lockstep_films_key ON films", "drift"),
            (
                "ALTER TABLE tag ADD CONSTRAINT odd CHECK (film <> 3) NOT VALID",
                "drift constraints"
            ),
            ("ALTER TABLE log ADD COLUMN more text; INSERT INTO lockstep_exposed VALUES ('log', 'more')", "drift"),
            ("ALTER TABLE tag DISABLE TRIGGER ALL", "constraints"),
            ("CREATE TYPE pair AS (a int, b int)", "drift"), ("ALTER TABLE log SET (fillfactor = 50)", "drift"),
            ("CREATE VIEW more WITH (security_barrier) AS SELECT line FROM log", "drift"),
            (
                "UPDATE films SET cover = (SELECT cover FROM films WHERE id = 6) WHERE id = 9",
                "cells manifest"
            ),
            ("UPDATE films SET title_casefold_token = 1 WHERE id = 9", "cells manifest"),
            ("UPDATE films SET title = NULL WHERE id = 9", "cells manifest"),
            ("UPDATE films SET year = 1 WHERE id = 9", "manifest"),
            ("DELETE FROM tag WHERE film = 9; DELETE FROM films WHERE id = 9", "manifest"),
            (
                "UPDATE lockstep_manifest SET text = replace(text, 'release 1 ', 'release 2 ')",
                "manifest"
            ),
            ("DROP TABLE lockstep_manifest", "manifest"),
            ("ALTER TABLE films ENABLE ROW LEVEL SECURITY", "drift"),
            ("CREATE POLICY few ON films USING (id < 10)", "drift"),
            ("CREATE RULE nothing AS ON INSERT TO tag DO INSTEAD NOTHING", "drift"),
            ("ALTER TABLE tag SET UNLOGGED", "drift"), ("ALTER TABLE films DISABLE TRIGGER USER", "drift"),
            ("CREATE TABLE lockstep_copy (name text, rows bigint, last_key bytea)", "orphans"),
            ("UPDATE lockstep_column SET padding = 32 WHERE name = 'cover'", "registry"),
        ])
    func changed(_ change: String, _ expected: String) throws {
        let server = try ServerConnection(address)
        for statement in change.split(separator: ";") {
            try server.execute(ServerSQL(verbatim: String(statement)))
        }
        if expected == "registry" {
            // The keys refuse the server when they connect.
            refused(.registryForged) { _ = try report() }
            return
        }
        #expect(try failed(report()).joined(separator: " ") == expected)
    }
}
