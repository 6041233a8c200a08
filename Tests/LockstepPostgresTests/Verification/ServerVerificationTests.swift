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
            ("DELETE FROM lockstep_exposed WHERE table_name = 'films'", "exposure"),
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
