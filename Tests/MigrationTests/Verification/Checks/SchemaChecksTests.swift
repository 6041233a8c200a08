import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Checks of a schema's usability")
struct SchemaChecksTests {
    private func report(_ statements: String...) throws -> VerificationReport {
        let database = try VerifiedDatabase()
        let connection = try database.scratch.open()
        try connection.execute("PRAGMA foreign_keys = OFF")
        for statement in statements { try connection.execute(SQL(verbatim: statement)) }
        return try database.report()
    }

    @Test("Rows without parents are reported with table, parent and rowids")
    func orphans() throws {
        let report = try report(
            "DELETE FROM parent WHERE id IN (3, 7)", "INSERT INTO child (id, parent) VALUES (900, 901)")
        #expect(report.failed == [.foreignKeys])
        let outcome = try #require(report.outcomes.first { $0.check == .foreignKeys })
        #expect(outcome.summary == "1 foreign key")
        let finding = try #require(outcome.findings.first)
        #expect(finding.message == "3 rows of child have no parent in parent: rowid 3, 7, 900")
        #expect(
            finding.rows
                == .init(table: "child", parent: "parent", count: 3, rowIDs: [3, 7, 900]))
    }

    @Test("Of many rows only the first rowids are reported; a table without rowids has none") func many() throws {
        let report = try report(
            "DELETE FROM parent", "CREATE TABLE w (k PRIMARY KEY REFERENCES parent) WITHOUT ROWID",
            "INSERT INTO w VALUES (5)")
        let findings = report.outcomes.first { $0.check == .foreignKeys }?.findings ?? []
        #expect(findings.map(\.rows?.count) == [50, 1])
        #expect(findings.map(\.rows?.rowIDs.count) == [10, 0])
        #expect(findings.first?.message.hasSuffix("9, 10, …") == true)
        #expect(findings.last?.message == "1 row of w has no parent in parent")
    }

    @Test(
        "A reference that no row could ever follow is found, even in an empty table",
        arguments: [
            "CREATE TABLE c2 (p REFERENCES nowhere (id))", "CREATE TABLE c2 (p REFERENCES parent (name))",
            "CREATE TABLE c2 (p, q, FOREIGN KEY (p, q) REFERENCES parent (id, name))",
        ])
    func references(sql: String) throws {
        let report = try report(sql)
        #expect(report.failed.contains(.references))
        #expect(report.messages.contains { $0.contains("nothing to refer to: c2 → ") })
    }

    @Test(
        "Unusable objects are found",
        arguments: [
            ("CREATE VIEW v AS SELECT * FROM nowhere", "the view v cannot be used"),
            (
                "CREATE TRIGGER g AFTER INSERT ON parent BEGIN INSERT INTO nowhere VALUES (1); END",
                "the trigger g cannot be used"
            ), ("ALTER TABLE parent ADD COLUMN z AS (no_such_function(id))", "the table parent cannot be used"),
        ])
    func objects(sql: String, message: String) throws {
        let report = try report(sql)
        #expect(report.failed.contains(.objects), "\(report.messages)")
        #expect(report.messages.contains { $0.contains(message) })
    }

    @Test("A schema that needs the program's functions and collations is verified with them") func functions() throws {
        let set = try MigrationSet(
            name: "test",
            files: [
                (
                    name: "1_a.sql",
                    content: """
                    -- lockstep: up
                    CREATE TABLE t (a TEXT COLLATE backwards, b DEFAULT (same(1)));
                    CREATE INDEX i ON t (a);
                    CREATE VIEW v AS SELECT same(a) FROM t;
                    -- lockstep: down
                    DROP VIEW v;
                    DROP TABLE t;
                    """
                )
            ])
        var options = ConnectionOptions()
        options.collations = [Collation("backwards") { $0 < $1 ? 1 : $1 < $0 ? -1 : 0 }]
        options.functions = [SQLFunction("same", argumentCount: 1, isDeterministic: true) { try $0[0] }]
        let scratch = try DatabaseScratch()
        do {
            let connection = try scratch.create(options)
            _ = try Migrator(set).run(on: connection)
        }
        var verification = Verification(scratch.path, sets: [set])
        verification.isDeep = true
        #expect(try !verification.run(key: scratch.key()).isClean)
        verification.schema = options
        let report = try verification.run(key: scratch.key())
        #expect(report.isClean, "\(report.messages)")
    }
}
