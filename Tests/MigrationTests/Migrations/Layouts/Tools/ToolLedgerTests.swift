import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Databases that other tools have migrated, with their tables as they make them in SQLite.
@Suite("A baseline from another tool's table")
struct ToolLedgerTests {
    struct Tool: CustomTestStringConvertible, Sendable {
        let layout: MigrationLayout
        /// The files of the versions 1, 2 and 3.
        let files: [String]
        let table: String
        /// What records the versions 1 and 2.
        let rows: [String]
        /// What records a version that failed; nil for a tool that does not.
        var failed: String?
        /// What takes version 2 back; nil for a tool that deletes the row.
        var undone: String?
        /// Whether the tool has a row for each version.
        var hasAll = true
        var testDescription: String { layout.rawValue }
    }

    private static let tools = [
        Tool(
            layout: .flyway, files: ["V1__a.sql", "V2__b.sql", "V3__c.sql"],
            table: """
                CREATE TABLE "flyway_schema_history" ("installed_rank" INT NOT NULL PRIMARY KEY, "version" VARCHAR(50),
                    "description" VARCHAR(200) NOT NULL, "type" VARCHAR(20) NOT NULL, "script" VARCHAR(1000) NOT NULL,
                    "checksum" INT, "installed_by" VARCHAR(100) NOT NULL, "installed_on" TEXT NOT NULL
                    DEFAULT (strftime('%Y-%m-%d %H:%M:%f','now')), "execution_time" INT NOT NULL, "success" BOOLEAN NOT NULL);
                CREATE INDEX "flyway_schema_history_s_idx" ON "flyway_schema_history" ("success");
                INSERT INTO flyway_schema_history VALUES (9, NULL, 'x', 'SQL', 'R__x.sql', 1, 'me', 'now', 1, 1);
                """,
            rows: [
                "INSERT INTO flyway_schema_history VALUES (1, '1', 'a', 'SQL', 'V1__a.sql', -5, 'me', 'now', 1, 1)",
                "INSERT INTO flyway_schema_history VALUES (2, '2', 'b', 'SQL', 'V2__b.sql', 7, 'me', 'now', 1, 1)",
            ], failed: "UPDATE flyway_schema_history SET success = 0 WHERE version = '2'",
            undone:
                "INSERT INTO flyway_schema_history VALUES (3, '2', 'b', 'UNDO_SQL', 'U2__b.sql', 7, 'me', 'now', 1, 1)"),
        Tool(
            layout: .golangMigrate, files: ["1_a.up.sql", "2_b.up.sql", "3_c.up.sql"],
            table: """
                CREATE TABLE schema_migrations (version uint64, dirty bool);
                CREATE UNIQUE INDEX version_unique ON schema_migrations (version);
                """, rows: ["DELETE FROM schema_migrations; INSERT INTO schema_migrations VALUES (2, 0)"],
            failed: "UPDATE schema_migrations SET dirty = 1", hasAll: false),
        Tool(
            layout: .dbmate, files: ["1_a.sql", "2_b.sql", "3_c.sql"],
            table: "CREATE TABLE \"schema_migrations\" (version varchar(128) primary key)",
            rows: ["INSERT INTO schema_migrations VALUES ('1')", "INSERT INTO schema_migrations VALUES ('2')"]),
        Tool(
            layout: .diesel, files: ["1_a/up.sql", "2_b/up.sql", "3_c/up.sql"],
            table: """
                CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL,
                    run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)
                """,
            rows: [1, 2].map { "INSERT INTO __diesel_schema_migrations (version) VALUES ('\($0)')" }),
        Tool(
            layout: .sqlx, files: ["1_a.sql", "2_b.sql", "3_c.sql"],
            table: """
                CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMP
                    NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL,
                    execution_time BIGINT NOT NULL)
                """,
            rows: [1, 2].map {
                "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (\($0), 'x', 1, x'00', 1)"
            }, failed: "UPDATE _sqlx_migrations SET success = 0 WHERE version = 1"),
        Tool(
            layout: .goose, files: ["00001_a.sql", "00002_b.sql", "00003_c.sql"],
            table: """
                CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL,
                    is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
                INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1);
                """, rows: [1, 2].map { "INSERT INTO goose_db_version (version_id, is_applied) VALUES (\($0), 1)" },
            undone: "INSERT INTO goose_db_version (version_id, is_applied) VALUES (2, 0)"),
        Tool(
            layout: .refinery, files: ["V1__a.sql", "V2__b.sql", "V3__c.sql"],
            table: """
                CREATE TABLE refinery_schema_history (version INTEGER PRIMARY KEY, name VARCHAR(255), applied_on VARCHAR(255),
                    checksum VARCHAR(255))
                """, rows: [1, 2].map { "INSERT INTO refinery_schema_history VALUES (\($0), 'x', 'now', '77')" }),
        Tool(
            layout: .numbered, files: ["001-1975ea83b712_a.sql", "002-ae1027a6acf_b.sql", "003-27c6a30d7c24_c.sql"],
            table: "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
            rows: ["INSERT INTO alembic_version VALUES ('ae1027a6acf')"], hasAll: false),
    ]

    private static func set(_ tool: Tool) throws -> MigrationSet {
        let scripts = ["CREATE TABLE a (x);", "CREATE TABLE b (x);", "CREATE TABLE c (x);"]
        let up = [.dbmate: "-- migrate:up\n", .goose: "-- +goose Up\n"][tool.layout] ?? ""
        let down = tool.layout == .dbmate ? "\n-- migrate:down\n" : ""
        return try MigrationSet(
            name: "shop", layout: tool.layout,
            files: zip(tool.files, scripts).map { (name: $0, content: up + $1 + down) })
    }

    /// - Parameter rows: Which rows of the tool; nil for all.
    private static func database(_ tool: Tool, rows: [Int]? = nil) throws -> Connection {
        let connection = try Connection.inMemory()
        try connection.run(script: "CREATE TABLE a (x); CREATE TABLE b (x);")
        try connection.run(script: tool.table)
        for row in rows ?? Array(tool.rows.indices) { try connection.run(script: tool.rows[row]) }
        return connection
    }

    @Test("What it records is recorded, the next version is pending, and the table is no drift", arguments: tools)
    func recorded(_ tool: Tool) throws {
        let connection = try Self.database(tool)
        let set = try Self.set(tool)
        let baseline = try Baseline(set, asRecordedIn: connection)
        #expect(baseline.version == MigrationVersion(2))
        #expect(try baseline.record(on: connection) == 2)
        #expect(try Migrator(set).run(on: connection).steps.map(\.version) == [MigrationVersion(3)])
        let found = try SchemaSnapshot(connection)
        let differences = try DriftCheck.differences(of: found, on: connection, [set], .init()).map(\.name)
        #expect(differences == [])
    }

    @Test("A version that failed, was left out or taken back", arguments: tools)
    func others(_ tool: Tool) throws {
        let set = try Self.set(tool)
        if let failed = tool.failed {
            let connection = try Self.database(tool)
            try connection.run(script: failed)
            Refusal.expect(.migrationUnfinished) { _ = try Baseline(set, asRecordedIn: connection) }
        }
        if tool.hasAll {
            Refusal.expect(.versionGap) { _ = try Baseline(set, asRecordedIn: Self.database(tool, rows: [1])) }
            #expect(try Baseline(set, asRecordedIn: Self.database(tool, rows: [0])).version == MigrationVersion(1))
        }
        if let undone = tool.undone {
            let connection = try Self.database(tool)
            try connection.run(script: undone)
            #expect(try Baseline(set, asRecordedIn: connection).version == MigrationVersion(1))
        }
    }

    @Test("No table, no rows, and a file that is gone", arguments: tools)
    func missing(_ tool: Tool) throws {
        let set = try Self.set(tool)
        Refusal.expect(.notFound) { _ = try Baseline(set, asRecordedIn: Connection.inMemory()) }
        Refusal.expect(.notFound) { _ = try Baseline(set, asRecordedIn: Self.database(tool, rows: [])) }
        let one = Tool(layout: tool.layout, files: Array(tool.files.prefix(1)), table: tool.table, rows: tool.rows)
        Refusal.expect(.migrationMissing) { _ = try Baseline(Self.set(one), asRecordedIn: Self.database(tool)) }
    }

    @Test("Flyway's own baseline covers the versions before it, and needs no file")
    func flywayBaseline() throws {
        let tool = Self.tools[0]
        let connection = try Self.database(tool, rows: [])
        try connection.execute(
            "INSERT INTO flyway_schema_history VALUES (1, '2.5', 'x', 'BASELINE', '<< Flyway Baseline >>', NULL, 'me', 'now', 0, 1)"
        )
        #expect(try Baseline(Self.set(tool), asRecordedIn: connection).version == MigrationVersion(2))
    }
}
