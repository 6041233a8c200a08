import Foundation
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A schema with every kind of object, and single changes of it.
enum DriftCases {
    static let base = [
        "CREATE TABLE p (id INTEGER PRIMARY KEY, code TEXT UNIQUE)",
        "CREATE TABLE q (id INTEGER PRIMARY KEY, code TEXT UNIQUE)",
        """
        CREATE TABLE t (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            a INTEGER NOT NULL DEFAULT 3,
            b VARCHAR(20) COLLATE NOCASE DEFAULT 'a' CHECK (b <> 'x'),
            c REAL UNIQUE ON CONFLICT IGNORE,
            d TEXT GENERATED ALWAYS AS (a || b) STORED,
            e INTEGER CONSTRAINT e_parent REFERENCES p (id)
                ON DELETE CASCADE ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED,
            g BLOB DEFAULT x'00ff',
            CONSTRAINT bounds CHECK (a < 10 AND c > 1.5),
            UNIQUE (a, b),
            FOREIGN KEY (b) REFERENCES p (code) ON DELETE SET DEFAULT MATCH SIMPLE
        )
        """, "CREATE TABLE w (k TEXT NOT NULL, v ANY, PRIMARY KEY (k COLLATE NOCASE DESC)) STRICT, WITHOUT ROWID",
        "CREATE INDEX i ON t (a DESC, lower(b), c COLLATE RTRIM) WHERE g IS NOT NULL",
        "CREATE VIEW v (x, y) AS SELECT a, 'Text' FROM t WHERE c > 1 ORDER BY a",
        """
        CREATE TRIGGER r AFTER UPDATE OF a, b ON t WHEN new.a > old.a
        BEGIN INSERT INTO w VALUES (new.a, 'Log'); END
        """,
        "CREATE VIRTUAL TABLE f USING fts5(title, body UNINDEXED, tokenize = 'porter')",
        "CREATE VIRTUAL TABLE s USING rtree(id, x0, x1)",
    ]

    /// One change, its subject, and a part of its report.
    struct Change: CustomTestStringConvertible, Sendable {
        let from: String
        let to: String
        let object: String
        let detail: String

        init(_ from: String, _ to: String, _ object: String, _ detail: String) {
            (self.from, self.to, self.object, self.detail) = (from, to, object, detail)
        }

        var testDescription: String { "\(object): \(from) → \(to)" }

        /// The base with this change.
        var statements: [String] {
            var statements = DriftCases.base
            for (index, statement) in statements.enumerated() {
                guard let range = statement.range(of: from) else { continue }
                statements[index].replaceSubrange(range, with: to)
                break
            }
            return statements
        }
    }

    static let changes: [Change] = columns + columnConstraints + tables + indexes + others

    private static let columns = [
        Change("g BLOB DEFAULT x'00ff',", "g TEXT DEFAULT x'00ff',", "table t", "column g: text"),
        Change("g BLOB DEFAULT x'00ff',", "g DEFAULT x'00ff',", "table t", "column g: default"),
        Change("VARCHAR(20)", "VARCHAR(21)", "table t", "column b: varchar (21)"),
        Change("VARCHAR(20)", "VARCHAR", "table t", "column b: varchar check"),
        Change("a INTEGER NOT", "a INT NOT", "table t", "column a: int not null"),
        Change("v ANY, PRIMARY", "PRIMARY", "table w", "column v: absent, expected any"),
        Change(
            "g BLOB DEFAULT x'00ff',", "g BLOB DEFAULT x'00ff', h,", "table t", "column h: nothing, expected absent"),
        Change("title, body UNINDEXED", "body UNINDEXED, title", "table f", "arguments: body"),
        Change("v ANY,", "v ANY, extra TEXT,", "table w", "column extra: text, expected absent"),
    ]

    private static let columnConstraints = [
        Change("NOT NULL DEFAULT 3", "DEFAULT 3", "table t", "column a: integer default 3"),
        Change("NOT NULL DEFAULT 3", "NULL DEFAULT 3", "table t", "column a"),
        Change(
            "NOT NULL DEFAULT 3", "NOT NULL ON CONFLICT REPLACE DEFAULT 3", "table t", "not null on conflict replace"),
        Change("DEFAULT 3", "DEFAULT 4", "table t", "default 4, expected integer not null default 3"),
        Change("DEFAULT 3", "DEFAULT -3", "table t", "default - 3"),
        Change("DEFAULT 3", "DEFAULT 3.0", "table t", "default 3.0"),
        Change("DEFAULT 3", "DEFAULT '3'", "table t", "default '3'"),
        Change("DEFAULT 3", "DEFAULT NULL", "table t", "default null"),
        Change("DEFAULT 3", "", "table t", "column a: integer not null, expected"),
        Change("DEFAULT 'a'", "DEFAULT 'A'", "table t", "default 'A'"),
        Change("DEFAULT 'a'", "DEFAULT \"A\"", "table t", "default 'A'"),
        Change("DEFAULT 'a'", "DEFAULT 'a '", "table t", "default 'a '"),
        Change("DEFAULT 'a'", "DEFAULT CURRENT_DATE", "table t", "default current_date"),
        Change("x'00ff'", "x'00fe'", "table t", "column g"),
        Change("COLLATE NOCASE DEFAULT", "COLLATE RTRIM DEFAULT", "table t", "collate rtrim"),
        Change("COLLATE NOCASE DEFAULT", "DEFAULT", "table t", "column b: varchar (20) check"),
        Change("(b <> 'x')", "(b <> 'X')", "table t", "check (b <> 'X')"),
        Change("(b <> 'x')", "(b = 'x')", "table t", "check (b = 'x')"),
        Change("CHECK (b <> 'x')", "", "table t", "column b"),
        Change("ON CONFLICT IGNORE", "", "table t", "column c: real unique, expected"),
        Change("ON CONFLICT IGNORE", "ON CONFLICT FAIL", "table t", "on conflict fail"),
        Change("c REAL UNIQUE ON CONFLICT IGNORE", "c REAL", "table t", "column c: real, expected"),
        Change("STORED", "VIRTUAL", "table t", "column d"),
        Change("(a || b)", "(b || a)", "table t", "as (b || a) stored"),
        Change("d TEXT GENERATED ALWAYS AS (a || b) STORED", "d TEXT", "table t", "column d: text, expected"),
        Change("ON DELETE CASCADE", "ON DELETE RESTRICT", "table t", "on delete restrict"),
        Change("ON DELETE CASCADE", "", "table t", "references p (id) on update"),
        Change("ON UPDATE SET NULL", "ON UPDATE CASCADE", "table t", "on update cascade"),
        Change("p (id)", "q (id)", "table t", "references q (id)"),
        Change("p (id)", "p", "table t", "references p on delete"),
        Change("DEFERRABLE INITIALLY DEFERRED", "", "table t", "column e"),
        Change("INITIALLY DEFERRED", "INITIALLY IMMEDIATE", "table t", "initially immediate"),
        Change("DEFERRABLE", "NOT DEFERRABLE", "table t", "not deferrable"),
        Change("CONSTRAINT e_parent", "CONSTRAINT e_other", "table t", "constraint e_other"),
        Change("PRIMARY KEY AUTOINCREMENT", "PRIMARY KEY", "table t", "column id"),
        Change("code TEXT UNIQUE)", "code TEXT)", "table p", "column code: text, expected"),
        Change("PRIMARY KEY, code", "PRIMARY KEY DESC, code", "table p", "primary key desc"),
        Change("PRIMARY KEY, code", ", code", "table p", "column id: integer, expected"),
    ]

    private static let tables = [
        Change("CONSTRAINT bounds ", "", "table t", "constraint: check"),
        Change("bounds CHECK", "limits CHECK", "table t", "constraint limits check"),
        Change("a < 10", "a <= 10", "table t", "constraint bounds check (a <= 10"),
        Change("a < 10 AND", "a < 10 OR", "table t", "or c > 1.5"), Change("1.5)", "1.25)", "table t", "c > 1.25"),
        Change("UNIQUE (a, b),", "UNIQUE (b, a),", "table t", "unique (b, a), expected unique (a, b)"),
        Change("UNIQUE (a, b),", "UNIQUE (a, b, c),", "table t", "unique (a, b, c)"),
        Change("UNIQUE (a, b),", "UNIQUE (a, b) ON CONFLICT ROLLBACK,", "table t", "rollback"),
        Change("UNIQUE (a, b),", "", "table t", "constraint: absent, expected unique (a, b)"),
        Change(
            "UNIQUE (a, b),", "UNIQUE (a, b), UNIQUE (a),", "table t", "unique (a), expected absent"
        ),
        Change("FOREIGN KEY (b)", "FOREIGN KEY (g)", "table t", "foreign key (g)"),
        Change("SET DEFAULT MATCH", "SET NULL MATCH", "table t", "on delete set null"),
        Change("MATCH SIMPLE", "MATCH FULL", "table t", "match full"),
        Change("STRICT, WITHOUT", "WITHOUT", "table w", "options: without rowid"),
        Change("STRICT, WITHOUT ROWID", "STRICT", "table w", "options: strict, expected"),
        Change(") STRICT, WITHOUT ROWID", ")", "table w", "options: absent"),
        Change("(k COLLATE NOCASE DESC)", "(k COLLATE NOCASE)", "table w", "primary key (k collate nocase)"),
        Change("(k COLLATE NOCASE DESC)", "(k DESC)", "table w", "primary key (k desc)"),
        Change("(k COLLATE NOCASE DESC)", "(k COLLATE NOCASE DESC, v)", "table w", "desc, v)"),
        Change("k TEXT NOT NULL, v ANY", "v ANY, k TEXT NOT NULL", "table w", "order of columns: v, k"),
        Change("tokenize = 'porter'", "tokenize = 'ascii'", "table f", "'ascii'"),
        Change("tokenize = 'porter'", "tokenize = 'Porter'", "table f", "'Porter'"),
        Change("body UNINDEXED", "body", "table f", "arguments"),
        Change("rtree(id", "rtree_i32(id", "table s", "module: rtree_i32"),
        Change("id, x0, x1", "id, x0, x1, y0, y1", "table s", "arguments"),
        Change("id, x0, x1", "id, X0, x1", "table s", "arguments"),
    ]

    private static let indexes = [
        Change("INDEX i", "UNIQUE INDEX i", "index i", "kind: unique, expected not unique"),
        Change("i ON t (a DESC", "i ON t (a", "index i", "columns: a, lower"),
        Change("(a DESC, lower(b)", "(lower(b), a DESC", "index i", "columns: lower"),
        Change("lower(b)", "upper(b)", "index i", "upper"),
        Change(", lower(b)", "", "index i", "columns: a desc, c collate"),
        Change("COLLATE RTRIM", "COLLATE BINARY", "index i", "collate binary"),
        Change("COLLATE RTRIM", "", "index i", "columns"),
        Change("IS NOT NULL", "IS NULL", "index i", "condition: g is null"),
        Change(" WHERE g IS NOT NULL", "", "index i", "condition: absent"),
    ]

    private static let others = [
        Change("v (x, y)", "v (x, z)", "view v", "columns: (x, z)"),
        Change("v (x, y)", "v", "view v", "columns: absent"), Change("'Text'", "'text'", "view v", "'text'"),
        Change("SELECT a, 'Text'", "SELECT DISTINCT a, 'Text'", "view v", "body: select distinct"),
        Change("c > 1 ORDER", "c > 2 ORDER", "view v", "c > 2"),
        Change("ORDER BY a", "ORDER BY a DESC", "view v", "order by a desc"),
        Change("r AFTER", "r BEFORE", "trigger r", "event: before update"),
        Change("UPDATE OF a, b", "UPDATE OF a", "trigger r", "columns: a, expected a, b"),
        Change("UPDATE OF a, b", "UPDATE", "trigger r", "columns: absent"),
        Change(
            "AFTER UPDATE OF a, b ON t WHEN new.a > old.a",
            "AFTER UPDATE OF a, b ON t WHEN old.a > new.a", "trigger r", "condition: old.a > new.a"),
        Change("new.a > old.a", "new.a >= old.a", "trigger r", "condition: new.a >= old.a"),
        Change("WHEN new.a > old.a", "", "trigger r", "condition: absent"),
        Change("'Log'", "'log'", "trigger r", "body"),
        Change("INSERT INTO w", "INSERT OR IGNORE INTO w", "trigger r", "or ignore"),
        Change("'Log');", "'Log'); SELECT 1;", "trigger r", "select 1"),
    ]

    /// Whole objects that are added or removed.
    static let objects: [(sql: String, change: SchemaSnapshot.Change, object: String)] = [
        ("CREATE TABLE extra (a)", .unexpected, "table extra"),
        ("CREATE TABLE extra AS SELECT * FROM t", .unexpected, "table extra"),
        ("CREATE INDEX extra ON q (id)", .unexpected, "index extra"),
        ("CREATE VIEW extra AS SELECT 1", .unexpected, "view extra"),
        (
            "CREATE TRIGGER extra AFTER DELETE ON q BEGIN SELECT 1; END", .unexpected,
            "trigger extra"
        ),
        ("CREATE VIRTUAL TABLE extra USING fts5(x)", .unexpected, "table extra"),
        ("DROP TABLE q", .missing, "table q"),
        ("DROP INDEX i", .missing, "index i"),
        ("DROP VIEW v", .missing, "view v"),
        ("DROP TRIGGER r", .missing, "trigger r"),
        ("DROP TABLE f", .missing, "table f"),
        ("ALTER TABLE t ADD COLUMN z TEXT NOT NULL DEFAULT ''", .different, "table t"),
        ("ALTER TABLE w DROP COLUMN v", .different, "table w"),
    ]
}
