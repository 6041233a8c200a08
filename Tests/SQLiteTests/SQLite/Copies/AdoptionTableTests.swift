import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Tables, indexes and triggers of every kind that SQLite supports, in plaintext originals.
@Suite("Adoption: schemas")
struct AdoptionTableTests {
    private let scratch: CopyScratch

    init() throws { scratch = try CopyScratch() }

    /// The definition of every object.
    private static let schema = """
        SELECT type || name || tbl_name || sql FROM sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY type, name
        """

    @Test("Tables without rowids, strict tables, and generated columns")
    func kinds() throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE pair (b TEXT, a INTEGER, v, PRIMARY KEY (a, b DESC)) WITHOUT ROWID;
            INSERT INTO pair VALUES ('x', 2, 1.5), ('y', 1, NULL), ('z', 1, x'00');
            CREATE TABLE strict (i INT, r REAL, t TEXT, b BLOB, a ANY) STRICT;
            INSERT INTO strict VALUES (1, 2, '3', x'04', '05'), (1, 2, '3', x'04', 5);
            CREATE TABLE made (a INT, d INT AS (a * 2), s TEXT AS ('s' || a) STORED, b INT);
            INSERT INTO made (a, b) VALUES (1, 10), (2, 20);
            CREATE UNIQUE INDEX made_s ON made (s);
            """)
        try scratch.adoptWhole([
            Self.schema, "SELECT quote(a) || quote(b) || quote(v) FROM pair ORDER BY a, b",
            "SELECT typeof(i) || typeof(r) || typeof(a) || quote(a) FROM strict ORDER BY rowid",
            "SELECT rowid || ',' || a || ',' || d || s || b FROM made ORDER BY rowid",
        ])
    }

    @Test("AUTOINCREMENT continues from its stored value, past deleted rows")
    func sequence() throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, x);
            CREATE TABLE b (id INTEGER PRIMARY KEY AUTOINCREMENT, x);
            INSERT INTO a (x) VALUES (1), (2), (3); DELETE FROM a;
            INSERT INTO b (id, x) VALUES (1000, 1); DELETE FROM b WHERE id = 1000;
            INSERT INTO b (x) VALUES (2);
            """)
        try scratch.adoptWhole(["SELECT name || seq FROM sqlite_sequence ORDER BY name"])
        let connection = try scratch.new.open()
        try connection.execute("INSERT INTO a (x) VALUES (4)")
        #expect(connection.lastInsertedRowID == 4)
    }

    @Test("Hidden rowids are kept, with gaps and negative ones")
    func rowids() throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE t (x); INSERT INTO t (rowid, x) VALUES (7, 'a'), (-3, 'b'), (100, 'c');
            CREATE TABLE k (x TEXT PRIMARY KEY); INSERT INTO k (rowid, x) VALUES (9, 'b'), (4, 'c');
            INSERT INTO t (rowid, x) VALUES (9223372036854775807, 'd'),
                (-9223372036854775808, 'e');
            """)
        try scratch.adoptWhole(["SELECT rowid || x FROM t ORDER BY rowid", "SELECT rowid || x FROM k ORDER BY rowid"])
    }

    @Test("A table has as many columns as SQLite allows, and keeps its hidden rowids")
    func wide() throws {
        let columns = (1...2000).map { "c\($0)" }.joined(separator: ", ")
        try scratch.makePlaintext(
            """
            CREATE TABLE t (\(columns));
            INSERT INTO t (rowid, c1, c2000) VALUES (7, 'a', 1), (-3, 'b', 2), (9223372036854775807, 'c', 3);
            """)
        try scratch.adoptWhole(["SELECT rowid || c1 || c2000 FROM t ORDER BY rowid"])
    }

    @Test(
        "Columns with a name of the rowid are ordinary columns",
        arguments: [
            "rowid", "rowid, oid", "ROWID, \"_RowID_\"", "rowid, oid, _rowid_",
            "rowid INTEGER PRIMARY KEY, oid", "oid, _rowid_, id INTEGER PRIMARY KEY",
        ])
    func rowidNames(_ columns: String) throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE t (a, \(columns)); CREATE TABLE plain (x);
            INSERT INTO t (a) VALUES ('x'), ('y'), ('z'); DELETE FROM t WHERE a = 'x';
            """)
        try scratch.adoptWhole(["SELECT a FROM t ORDER BY a"])
        let rowids = ["rowid", "oid", "_rowid_"].map { "SELECT quote(\($0)) FROM t ORDER BY a" }
        try scratch.expectSame(rowids)
    }

    @Test("A generated column with a name of the rowid is adopted")
    func generatedRowid() throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE t (a, rowid AS (a * 2)); INSERT INTO t (a) VALUES (3), (5);
            DELETE FROM t WHERE a = 3;
            """)
        try scratch.adoptWhole(["SELECT _rowid_ || ',' || a || ',' || rowid FROM t"])
    }

    @Test("Rows that differ only under the key's own collation are each compared with their copy")
    func keyCollation() throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE t (a TEXT COLLATE NOCASE, b, PRIMARY KEY (a COLLATE BINARY)) WITHOUT ROWID;
            INSERT INTO t VALUES ('a', 1), ('A', 2), ('b', 3), ('B', 4);
            """)
        try scratch.adoptWhole(["SELECT a || b FROM t ORDER BY b"])
    }

    @Test("In UTF-16, a table whose columns use all names of the rowid is compared in one order")
    func orderOfEncoding() throws {
        try scratch.makePlaintext(
            """
            PRAGMA encoding = 'UTF-16le';
            CREATE TABLE t (rowid TEXT, oid TEXT, _rowid_ TEXT, big AS (zeroblob(500)) STORED);
            CREATE INDEX all_of_t ON t (rowid, oid, _rowid_);
            INSERT INTO t VALUES ('\u{100}', '', ''), ('b', '', ''), ('\u{0201}', '', ''),
                ('a', '', '');
            """)
        try scratch.adoptWhole(["SELECT rowid FROM t ORDER BY unicode(rowid)"])
    }

    @Test("Partial and descending indexes, indexes on expressions and collations, and statistics")
    func indexes() throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE t (a, b TEXT UNIQUE, c);
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
            INSERT INTO t SELECT i % 10, 'b' || i, i / 3 FROM n;
            CREATE INDEX part ON t (a) WHERE c > 5;
            CREATE INDEX down ON t (a DESC, b COLLATE NOCASE);
            CREATE INDEX made ON t (a + c, lower(b));
            ANALYZE;
            """)
        try scratch.adoptWhole([
            Self.schema, "SELECT tbl || idx || stat FROM sqlite_stat1 ORDER BY tbl, idx",
            "SELECT count(*) FROM t WHERE a + c = 20",
        ])
    }

    @Test(
        "Triggers are copied without firing, and so are views, even over missing tables")
    func triggersAndViews() throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE t (a); CREATE TABLE log (x);
            CREATE VIEW v AS SELECT a * 2 AS d FROM t;
            CREATE VIEW w (e) AS SELECT d FROM v;
            CREATE VIEW broken AS SELECT * FROM gone;
            INSERT INTO t VALUES (1), (2);
            CREATE TRIGGER after_t AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END;
            CREATE TRIGGER refuse BEFORE INSERT ON log WHEN new.x > 100
                BEGIN SELECT raise(ABORT, 'too large'); END;
            CREATE TRIGGER into_v INSTEAD OF INSERT ON v
                BEGIN INSERT INTO t VALUES (new.d / 2); END;
            """)
        try scratch.adoptWhole([Self.schema, "SELECT count(*) FROM log", "SELECT group_concat(e) FROM w"])
        let connection = try scratch.new.open()
        try connection.execute("INSERT INTO v VALUES (20)")
        #expect(try connection.value("SELECT x FROM log") == 10)
    }

    @Test("Circular foreign keys, and violated ones, which are counted")
    func foreignKeys() throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent ON DELETE CASCADE);
            CREATE TABLE parent (id INTEGER PRIMARY KEY, c REFERENCES child (id));
            INSERT INTO child VALUES (1, 1), (2, 99), (3, NULL);
            INSERT INTO parent VALUES (1, 1), (2, 77);
            """)
        let report = try scratch.adoptWhole(["SELECT id || quote(p) FROM child", "SELECT id || quote(c) FROM parent"])
        #expect(report.brokenForeignKeys == 2)
        #expect(try scratch.new.open().value("PRAGMA foreign_keys") == 1)
    }

    @Test("Names with quotes, spaces, reserved words and letters of any script")
    func names() throws {
        let table = "\"a \"\"b\"\" 'c' [d] `e`; --\""
        try scratch.makePlaintext(
            """
            CREATE TABLE \(table) ("select" INTEGER, "x y", "wörld 表", "" TEXT, 'it''s', "?1", ":p");
            INSERT INTO \(table) VALUES (1, 2, 3, 4, 5, 6, 7);
            CREATE INDEX "order" ON \(table) ("x y", "");
            CREATE TABLE "table" ([group] PRIMARY KEY) WITHOUT ROWID; INSERT INTO "table" VALUES (8);
            CREATE TABLE "main.t" (a); INSERT INTO "main.t" VALUES (9);
            CREATE TABLE "sqlitelike" (a); CREATE TABLE "SQLiteX" (a);
            INSERT INTO sqlitelike VALUES (10); INSERT INTO sqlitex VALUES (11);
            """)
        let report = try scratch.adoptWhole([
            "SELECT \"select\" || \"x y\" || \"wörld 表\" || \"\" || \"it's\" || \"?1\" || \":p\" FROM "
                + table,
            "SELECT [group] FROM \"table\"", "SELECT a FROM \"main.t\"", Self.schema,
            "SELECT a FROM sqlitex",
        ])
        #expect(report.copy.rows.count == 5 && report.copy.rows.values.allSatisfy { $0 == 1 })
    }

    @Test("Double-quoted texts in old schemas remain texts")
    func doubleQuotes() throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE t (a DEFAULT "yes", b CHECK (b <> "no"));
            INSERT INTO t (b) VALUES (1), (2);
            CREATE INDEX i ON t (a) WHERE b <> "none";
            CREATE INDEX j ON t (a || "suffix");
            CREATE VIEW v AS SELECT a FROM t WHERE a = "yes";
            CREATE TRIGGER g AFTER DELETE ON t BEGIN UPDATE t SET a = "gone"; END;
            """)
        try scratch.adoptWhole([Self.schema, "SELECT a || b FROM t", "SELECT count(*) FROM t WHERE a || 'suffix' > ''"])
        let connection = try scratch.new.open()
        try connection.execute("INSERT INTO t (b) VALUES (3)")
        #expect(try connection.value("SELECT a FROM t WHERE b = 3") == "yes")
        Refusal.expect(.constraint) { try connection.execute("INSERT INTO t (b) VALUES ('no')") }
    }
}
