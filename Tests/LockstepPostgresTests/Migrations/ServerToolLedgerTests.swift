import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("A baseline on a server from another tool's table", .withServer)
struct ServerToolLedgerTests {
    struct Tool: CustomTestStringConvertible, Sendable {
        let layout: MigrationLayout
        let files: [String]
        /// What the tool leaves after the versions 1 and 2, as it makes it on a server.
        let table: String
        var failed: String?
        var testDescription: String { layout.rawValue }
    }

    private static let tools = [
        Tool(
            layout: .flyway, files: ["V1__a.sql", "V2__b.sql", "V3__c.sql"],
            table: """
                CREATE TABLE flyway_schema_history (installed_rank integer PRIMARY KEY, version varchar(50),
                    description varchar(200) NOT NULL, type varchar(20) NOT NULL, script varchar(1000) NOT NULL,
                    checksum integer, installed_by varchar(100) NOT NULL, installed_on timestamp NOT NULL DEFAULT now(),
                    execution_time integer NOT NULL, success boolean NOT NULL);
                CREATE INDEX flyway_schema_history_s_idx ON flyway_schema_history (success);
                INSERT INTO flyway_schema_history VALUES (1, '1', 'a', 'SQL', 'V1__a.sql', 1, 'me', now(), 1, true),
                    (2, '2', 'b', 'SQL', 'V2__b.sql', 1, 'me', now(), 1, true);
                """, failed: "UPDATE flyway_schema_history SET success = false"),
        Tool(
            layout: .golangMigrate, files: ["1_a.up.sql", "2_b.up.sql", "3_c.up.sql"],
            table: """
                CREATE TABLE schema_migrations (version bigint NOT NULL PRIMARY KEY, dirty boolean NOT NULL);
                INSERT INTO schema_migrations VALUES (2, false);
                """, failed: "UPDATE schema_migrations SET dirty = true"),
        Tool(
            layout: .sqlx, files: ["1_a.sql", "2_b.sql", "3_c.sql"],
            table: """
                CREATE TABLE _sqlx_migrations (version bigint PRIMARY KEY, description text NOT NULL, installed_on timestamptz
                    NOT NULL DEFAULT now(), success boolean NOT NULL, checksum bytea NOT NULL, execution_time bigint NOT NULL);
                INSERT INTO _sqlx_migrations VALUES (1, 'a', now(), true, '', 1), (2, 'b', now(), true, '', 1);
                """, failed: "UPDATE _sqlx_migrations SET success = false WHERE version = 2"),
        Tool(
            layout: .goose, files: ["00001_a.sql", "00002_b.sql", "00003_c.sql"],
            table: """
                CREATE TABLE goose_db_version (id serial PRIMARY KEY, version_id bigint NOT NULL, is_applied boolean NOT NULL,
                    tstamp timestamp DEFAULT now());
                INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, true), (1, true), (2, true);
                """),
        Tool(
            layout: .diesel, files: ["1_a/up.sql", "2_b/up.sql", "3_c/up.sql"],
            table: """
                CREATE TABLE __diesel_schema_migrations (version varchar(50) PRIMARY KEY, run_on timestamp DEFAULT now());
                INSERT INTO __diesel_schema_migrations VALUES ('1'), ('2');
                """),
        Tool(
            layout: .numbered, files: ["001-1975ea83b712.sql", "002-ae1027a6acf.sql", "003-27c6a30d7c24.sql"],
            table: """
                CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY);
                INSERT INTO alembic_version VALUES ('ae1027a6acf');
                """),
    ]

    @Test("What it records is recorded, the next version is pending, and the table is no drift", arguments: tools)
    func recorded(_ tool: Tool) throws {
        let server = try TestServer.connection()
        let up = tool.layout == .goose ? "-- +goose Up\n" : ""
        let scripts = ["CREATE TABLE a (x int);", "CREATE TABLE b (x int);", "CREATE TABLE c (x int);"]
        let set = try MigrationSet(
            name: "shop", layout: tool.layout, files: zip(tool.files, scripts).map { (name: $0, content: up + $1) },
            engine: .postgres)
        refused(.notFound) { _ = try ServerBaseline(set, asRecordedIn: server) }
        for statement in (scripts[0] + scripts[1] + tool.table).split(separator: ";") {
            try server.execute(ServerSQL(verbatim: String(statement)))
        }
        let baseline = try ServerBaseline(set, asRecordedIn: server)
        #expect(baseline.version == MigrationVersion(2))
        #expect(try baseline.record(on: server) == 2)
        #expect(try ServerMigrator(set).run(on: server).steps.map(\.version) == [MigrationVersion(3)])
        let report = try ServerVerification(sets: [set]).run(on: server)
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings).map(\.message))")
        guard let failed = tool.failed else { return }
        try server.execute(ServerSQL(verbatim: failed))
        refused(.migrationUnfinished) { _ = try ServerBaseline(set, asRecordedIn: server) }
    }
}
