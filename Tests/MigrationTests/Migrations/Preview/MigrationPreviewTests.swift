import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Previews and lint")
struct MigrationPreviewTests {
    private static let base = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, s TEXT);
        CREATE TABLE k (id INTEGER PRIMARY KEY, t REFERENCES t);
        CREATE TABLE empty (a);
        CREATE VIEW v AS SELECT n FROM t;
        INSERT INTO t (n, s) VALUES (1, 'a'), (2, 'b');
        INSERT INTO k (t) VALUES (1);
        """

    private func preview(_ scripts: [String]) throws -> MigrationPreview {
        let connection = try Connection.inMemory()
        let set = try Scratch.set([Scratch.up(Self.base)] + scripts)
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        let before = try SchemaSnapshot(connection)
        let preview = try Migrator(set).preview(on: connection)
        #expect(try SchemaSnapshot(connection) == before)
        #expect(try Ledger.entries(connection).count == 1)
        return preview
    }

    @Test("Statements are listed with their lines, triggers as one statement")
    func statements() throws {
        let script = """
            CREATE TABLE b (y); -- first
            CREATE TRIGGER g AFTER INSERT ON b BEGIN
                UPDATE t SET n = CASE WHEN n > 1 THEN 0 ELSE 1 END;
            END;
            -- lockstep: backfill t batch=5
            UPDATE t SET n = 1 WHERE id BETWEEN :first AND :last;
            INSERT INTO b VALUES (1)
            """
        let preview = try preview([
            Scratch.up(script, down: "DROP TABLE b;"),
            Scratch.up("-- lockstep: no transaction\nCREATE TABLE c (z);\nVACUUM;"),
        ])
        #expect(preview.steps.map(\.name) == ["step", "step"])
        #expect(preview.steps.map { $0.statements.map(\.line) } == [[2, 3, 7, 8], [3, 4]])
        #expect(preview.steps.first?.statements[1].sql.hasSuffix("END;") == true)
        #expect(preview.lint.map(\.rule) == ["irreversible"])
        #expect(!preview.isBlocked)
    }

    @Test(
        "Each rule finds its target",
        arguments: [
            ("DROP TABLE k;", "drop-table", LintFinding.Level.error),
            ("-- lockstep: allow loss of table k\nDROP TABLE k;", "drop-table", .warning),
            ("DROP TABLE IF EXISTS empty;", "drop-table", .warning), ("DELETE FROM \"k\";", "delete-all", .error),
            ("-- lockstep: allow loss of table k\nDELETE FROM main.k;", "delete-all", .warning),
            ("ALTER TABLE empty RENAME TO full;", "rename-table", .warning),
            ("ALTER TABLE t RENAME COLUMN s TO r;", "rename-column", .warning),
            ("ALTER TABLE t DROP COLUMN s;", "drop-column", .warning),
            ("ALTER TABLE main.t DROP COLUMN s;", "drop-column", .warning),
            ("ALTER TABLE t ADD COLUMN b TEXT NOT NULL;", "add-not-null", .error),
            (
                "ALTER TABLE t ADD b TEXT DEFAULT CURRENT_TIMESTAMP;", "add-default-expression",
                .error
            ),
            ("ALTER TABLE t ADD b TEXT DEFAULT (random());", "add-default-expression", .error),
            ("ALTER TABLE t ADD b DEFAULT 1 REFERENCES k;", "add-reference-default", .error),
            ("CREATE UNIQUE INDEX i ON t (n);", "unique-index", .warning),
            ("CREATE TABLE IF NOT EXISTS t (other);", "if-not-exists", .warning),
            ("CREATE TABLE b (y);\nDROP TABLE B;", "made-and-dropped", .warning),
            (
                "CREATE TABLE IF NOT EXISTS b (y);\nDROP TABLE IF EXISTS main.b;",
                "made-and-dropped", .warning
            ),
            ("CREATE VIEW b AS SELECT 1;\nDROP VIEW b;", "made-and-dropped", .warning),
            ("CREATE UNIQUE INDEX i ON empty (a);\nDROP INDEX i;", "made-and-dropped", .warning),
            (
                "CREATE TRIGGER g AFTER DELETE ON t BEGIN DELETE FROM k; END;\nDROP TRIGGER g;",
                "made-and-dropped", .warning
            ),
            (
                "ALTER TABLE t ADD COLUMN b;\nALTER TABLE t DROP b;", "made-and-dropped", .warning
            ),
            (
                "-- lockstep: foreign keys off\nALTER TABLE t RENAME TO old;\nCREATE TABLE t (id);",
                "rename-old-first", .error
            ),
            (
                // Nothing refers to it.
                "ALTER TABLE k RENAME TO k_old;\n" + "CREATE TABLE k (id INTEGER PRIMARY KEY, t REFERENCES t);\n"
                    + "INSERT INTO k SELECT * FROM k_old;\nDROP TABLE k_old;",
                "rename-old-first", .warning
            ),
            (
                "-- lockstep: foreign keys off\n-- lockstep: allow broken references of table k\n"
                    + "DROP VIEW v;\nALTER TABLE t RENAME TO t_old;\nCREATE TABLE t (id);", "rename-old-first", .warning
            ),
            (
                // The old one stays, and so do the references.
                "ALTER TABLE t RENAME TO t_old;\nCREATE TABLE t (id INTEGER PRIMARY KEY);", "rename-old-first", .error
            ),
            (
                "-- lockstep: rebuild table t\nCREATE TABLE t (id INTEGER PRIMARY KEY, n, s TEXT);",
                "rebuild", .note
            ),
            (
                "CREATE TABLE b (id INTEGER PRIMARY KEY, n, s);\nINSERT INTO b SELECT * FROM t;", "copy-by-position",
                .warning
            ),
            ("CREATE TABLE b (id BIGINT PRIMARY KEY, n);", "no-rowid-alias", .warning),
            ("CREATE TABLE b (n\u{A0} TEXT);", "invisible-name", .warning),
            ("CREATE TABLE \"b\u{200B}\" (n TEXT);", "invisible-name", .warning),
            ("CREATE VIRTUAL TABLE f USING fts5(s, content='t', content_rowid='id');", "external-content", .warning),
            ("CREATE TEMP TABLE left_over (x);", "temporary-left", .warning),
            ("CREATE TABLE IF NOT EXISTS temp.left_over (x);", "temporary-left", .warning),
            ("CREATE TABLE x (a);\nCOMMIT;", "refused", .error),
            ("PRAGMA foreign_keys = OFF;", "refused", .error),
            ("ALTER TABLE t ALTER COLUMN n SET NOT NULL;", "refused", .error),
            ("ALTER TABLE t ADD COLUMN g GENERATED ALWAYS AS (nope(n));", "refused", .error),
            ("DROP VIEW v;\nCREATE VIEW v AS SELECT gone FROM t;", "refused", .error),
            ("CREATE TABLE 'unfinished (a);", "refused", .error),
            ("-- lockstep: backfill t batch=5\nUPDATE t SET n = 1;", "refused", .error),
        ])
    func rules(script: String, rule: String, level: LintFinding.Level) throws {
        let preview = try preview([Scratch.up(script, down: "SELECT 1;")])
        let found = preview.lint.filter { $0.rule == rule }
        #expect(found.map(\.level) == [level], "\(preview.lint)")
        #expect(preview.isBlocked == preview.lint.contains { $0.level == .error })
        #expect(found.allSatisfy { $0.file == "test/0002_step.sql" })
    }

    @Test(
        "Harmless statements cause no complaint",
        arguments: [
            "CREATE TABLE b (y NOT NULL);", "ALTER TABLE t ADD COLUMN b TEXT NOT NULL DEFAULT '';",
            "ALTER TABLE t ADD COLUMN b AS (n + 1) NOT NULL;", "DELETE FROM t WHERE 0;", "UPDATE t SET n = 3;",
            "CREATE UNIQUE INDEX i ON empty (a);", "ALTER TABLE empty ADD b TEXT NOT NULL DEFAULT 'x';",
            "ALTER TABLE t ADD COLUMN b REFERENCES k ON DELETE SET DEFAULT;",
            "INSERT INTO t (s) VALUES ('DROP TABLE t; -- lockstep: up');",
            "CREATE TRIGGER g AFTER DELETE ON t BEGIN DELETE FROM k; END;",
            "DROP VIEW v;\nCREATE VIEW v AS SELECT s FROM t;",
            "INSERT INTO t (n, s) SELECT n, s FROM t;", "CREATE TABLE b (id BIGINT PRIMARY KEY NOT NULL, n);",
            "CREATE TABLE b (id INT PRIMARY KEY, n) WITHOUT ROWID;", "CREATE TABLE b (id INTEGER PRIMARY KEY, é TEXT);",
            "CREATE VIRTUAL TABLE f USING fts5(s, content='empty');",
            "CREATE VIRTUAL TABLE f USING fts5(s, content='t', content_rowid='id');\nINSERT INTO f (f) VALUES ('rebuild');",
            "CREATE TABLE b (y);\nCREATE INDEX i ON b (y);\nDROP VIEW v;",
        ])
    func harmless(script: String) throws {
        let preview = try preview([Scratch.up(script, down: "SELECT 1;")])
        #expect(preview.lint.isEmpty, "\(preview.lint)")
    }

    @Test("A table that does not exist is not reported as dropped")
    func dropOfNothing() throws {
        let preview = try preview([Scratch.up("DROP TABLE IF EXISTS nowhere;", down: "SELECT 1;")])
        #expect(preview.lint.filter { $0.rule == "drop-table" }.isEmpty)
        #expect(!preview.isBlocked)
    }

    @Test("A way back is previewed as recorded in the ledger; refused statements are not run") func wayBack() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set([Scratch.up(Self.base), Scratch.up("CREATE TABLE b (y);", down: "DROP TABLE b;")])
        _ = try Migrator(set).run(on: connection)
        let preview = try Migrator(set).preview(.back(1), on: connection)
        #expect(preview.steps.map(\.isUp) == [false])
        #expect(preview.steps.first?.statements.map(\.sql) == ["DROP TABLE b;"])
        #expect(preview.lint.map(\.rule) == ["drop-table"])
    }

    @Test("After an error the rest is listed but not tried; code is listed")
    func behindAnError() throws {
        let preview = try preview([
            Scratch.up("CREATE TABLE x (a);\nNONSENSE;", down: "SELECT 1;"),
            Scratch.up("INSERT INTO x VALUES (1);", down: "SELECT 1;"),
        ])
        #expect(preview.lint.map(\.rule) == ["refused"])
        #expect(preview.lint.first?.message.contains("0002_step.sql:3") == true)
        #expect(preview.lint.first?.line == 3)
        #expect(preview.steps.map(\.statements.count) == [1, 0])

        let connection = try Connection.inMemory()
        let code = try CodeMigration(version: MigrationVersion(2), name: "c", up: { _ in Issue.record("it was run") })
        let set = try Scratch.set(Scratch.up(Self.base, down: "SELECT 1;")).adding(code)
        let other = try Migrator(set).preview(on: connection)
        #expect(other.lint.map(\.rule) == ["code", "irreversible"])
    }
}
