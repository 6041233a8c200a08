import TestSupport

@testable import EngineTestSupport

/// Random SQL over a handful of names, so that dropped objects come back as something else, tables refer to each
/// other in circles, and about half of the statements fail.
struct RandomScript {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(state: seed) }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func one(_ texts: String...) -> String {
        texts[Int.random(in: 0..<texts.count, using: &random)]
    }

    mutating func table() -> String { one("t0", "t1", "t2", "T3", "\"t 4\"", "t5") }

    private mutating func view() -> String { one("v0", "v1", "v2") }

    private mutating func column() -> String { one("id", "a", "b", "p", "q", "c") }

    private mutating func number() -> String { String(Int.random(in: 0...6, using: &random)) }

    private mutating func condition() -> String {
        one("", "", " WHERE \(column()) = \(number())", " WHERE id > \(number())")
    }

    /// Typical tables with rows, which some of the random statements affect.
    static let family = """
        CREATE TABLE t0 (id INTEGER PRIMARY KEY, a, b UNIQUE);
        CREATE TABLE t1 (id INTEGER PRIMARY KEY, a, b UNIQUE,
            p REFERENCES t0 ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE t2 (id INTEGER PRIMARY KEY, a, b UNIQUE, p REFERENCES t1 ON DELETE CASCADE,
            q REFERENCES t0 (b) ON DELETE SET NULL);
        CREATE TABLE T3 (id INTEGER PRIMARY KEY, a, b, p REFERENCES t2 DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO t0 VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4);
        INSERT INTO t1 VALUES (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 2), (4, 4, 4, NULL);
        INSERT INTO t2 VALUES (1, 1, 1, 1, 1), (2, 2, 2, 2, 2), (3, 3, 3, 3, NULL);
        INSERT INTO T3 VALUES (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, NULL);
        CREATE VIEW v0 AS SELECT t0.id, t0.a, t1.b FROM t0 JOIN t1 ON t1.p = t0.id;
        CREATE TRIGGER r0 AFTER DELETE ON t2 BEGIN DELETE FROM T3 WHERE id = old.id; END;
        CREATE TRIGGER r1 INSTEAD OF DELETE ON v0 BEGIN DELETE FROM t1 WHERE id = old.id; END;
        """

    // MARK: Statements

    mutating func statement() -> String {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<13: createTable()
        case ..<30: insert()
        case ..<38: update()
        case ..<47: delete()
        case ..<60: alter()
        case ..<65: index()
        case ..<72: trigger()
        case ..<78: throughView()
        case ..<83: drop()
        case ..<88: replaceByHand()
        case ..<93: fullText()
        default: rare()
        }
    }

    private mutating func createTable() -> String {
        let key = one("INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY", "TEXT PRIMARY KEY", "INTEGER")
        var columns = ["id \(key)", "a", "b \(one("", "UNIQUE", "UNIQUE ON CONFLICT REPLACE"))"]
        if chance(60) { columns.append("p \(reference())") }
        if chance(25) { columns.append("q \(reference())") }
        if chance(6) { columns.append("g GENERATED ALWAYS AS (a || b)") }
        let ending = key.hasSuffix("KEY") && chance(15) ? " WITHOUT ROWID" : ""
        return "CREATE TABLE \(table()) (\(columns.joined(separator: ", ")))\(ending)"
    }

    private mutating func reference() -> String {
        "REFERENCES \(table())\(one("", "(id)", "(b)", "(id)", "(a)"))"
            + one("", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON DELETE SET DEFAULT")
            + one("", " ON UPDATE CASCADE", " ON UPDATE SET NULL") + one("", "", " DEFERRABLE INITIALLY DEFERRED")
    }

    private mutating func insert() -> String {
        let how = one("INSERT", "INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE", "REPLACE")
        let parent = one(", NULL", ", \(number())")
        return one(
            "\(how) INTO \(table()) (id, a, b, p) VALUES (\(number()), \(number()), \(number())\(parent))",
            "\(how) INTO \(table()) (id, a, b) VALUES (\(number()), \(number()), \(number()))",
            "\(how) INTO \(table()) (a, b) SELECT a, \(number()) + id FROM \(table())",
            "INSERT INTO \(table()) (id, b) VALUES (\(number()), \(number())) "
                + "ON CONFLICT (b) DO UPDATE SET a = \(number()), p = \(number())")
    }

    private mutating func update() -> String {
        let how = one("UPDATE", "UPDATE", "UPDATE OR REPLACE", "UPDATE OR IGNORE")
        return "\(how) \(table()) SET \(one("rowid", "id", column(), column())) = "
            + "\(one(number(), "id + 1", "NULL"))\(condition())"
    }

    private mutating func delete() -> String { "DELETE FROM \(table())\(condition())" }

    private mutating func alter() -> String {
        let table = table()
        return one(
            "ALTER TABLE \(table) RENAME TO \(self.table())", "ALTER TABLE \(table) RENAME TO \(self.table())",
            "ALTER TABLE \(table) RENAME COLUMN \(column()) TO \(column())",
            "ALTER TABLE \(table) ADD COLUMN c \(one("", "DEFAULT 1", "NOT NULL DEFAULT 2"))",
            "ALTER TABLE \(table) ADD COLUMN q \(reference())",
            "ALTER TABLE \(table) ADD COLUMN n GENERATED ALWAYS AS (no_such_function(a))",
            "ALTER TABLE \(table) DROP COLUMN \(column())", "ALTER TABLE \(table) RENAME TO lockstep_own")
    }

    private mutating func index() -> String {
        one(
            "CREATE INDEX i\(number()) ON \(table()) (\(column()))",
            "CREATE UNIQUE INDEX i\(number()) ON \(table()) (\(column()))",
            "CREATE UNIQUE INDEX i\(number()) ON \(table()) (a, b)",
            "DROP INDEX i\(number())")
    }

    private mutating func trigger() -> String {
        let event = one("INSERT", "UPDATE", "DELETE", "UPDATE OF a")
        let body = one(
            delete(), insert(), update(), "DELETE FROM \(table()) WHERE id = \(number())",
            "SELECT \(column()) FROM \(one(table(), view()))")
        let when = chance(20) ? " WHEN \(number()) > 2" : ""
        return chance(70)
            ? "CREATE TRIGGER r\(number()) \(one("AFTER", "BEFORE")) \(event) ON \(table())\(when) "
                + "BEGIN \(body); END"
            : "CREATE TRIGGER r\(number()) INSTEAD OF \(event) ON \(view()) BEGIN \(body); END"
    }

    private mutating func throughView() -> String {
        one(
            "CREATE VIEW \(view()) AS SELECT * FROM \(one(table(), view()))",
            "CREATE VIEW \(view()) AS SELECT id, \(column()) FROM \(table())",
            "CREATE VIEW \(view()) AS SELECT x.a FROM \(view()) AS x JOIN \(table()) AS y ON x.id = y.id",
            "INSERT INTO \(view()) (id, a) VALUES (\(number()), \(number()))", "DELETE FROM \(view())\(condition())",
            "UPDATE \(view()) SET a = \(number())\(condition())")
    }

    private mutating func drop() -> String {
        one(
            "DROP TABLE \(table())", "DROP TABLE \(table())", "DROP VIEW \(view())",
            "DROP TRIGGER r\(number())", "DROP TABLE f0")
    }

    /// A table replacement as people commonly write it, with the usual mistakes.
    private mutating func replaceByHand() -> String {
        let table = table()
        return one(
            "CREATE TABLE fresh AS SELECT * FROM \(table); DROP TABLE \(table); "
                + "ALTER TABLE fresh RENAME TO \(table)",
            "CREATE TABLE fresh (id INTEGER PRIMARY KEY, a, b UNIQUE, p \(reference())); "
                + "INSERT INTO fresh (id, a, b) SELECT id, a, b FROM \(table)\(condition()); "
                + "DROP TABLE \(table); ALTER TABLE fresh RENAME TO \(table)",
            // Another table gets the root page of the old one, and a new name.
            "DROP TABLE \(table); CREATE TABLE fresh (id INTEGER PRIMARY KEY, a, b); "
                + "INSERT INTO fresh (id) VALUES (1), (2), (3), (4), (5), (6); "
                + "ALTER TABLE fresh RENAME TO \(one(self.table(), "later"))",
            "ALTER TABLE \(table) RENAME TO old; CREATE TABLE \(table) (id INTEGER PRIMARY KEY, a, b, p); "
                + "INSERT INTO \(table) (id, a, b) SELECT id, a, b FROM old; DROP TABLE old")
    }

    private mutating func fullText() -> String {
        one(
            "CREATE VIRTUAL TABLE f0 USING fts5 (x)", "INSERT INTO f0 VALUES ('word \(number())')", "DELETE FROM f0",
            "DELETE FROM f0 WHERE rowid = 1", "DROP TABLE f0_data", "CREATE VIRTUAL TABLE f1 USING fts5vocab (f0, row)",
            "DROP TABLE f1", "CREATE VIRTUAL TABLE t5 USING fts5 (a, content='t1', content_rowid='id')",
            "ALTER TABLE f0 RENAME TO t2", "CREATE TABLE f0_more (x)")
    }

    private mutating func rare() -> String {
        one(
            "PRAGMA recursive_triggers = \(one("ON", "OFF"))", "PRAGMA legacy_alter_table = \(one("ON", "OFF"))",
            "CREATE TEMP TABLE \(table()) (id INTEGER PRIMARY KEY, a, b)",
            "CREATE TEMP TRIGGER temporary AFTER INSERT ON main.\(table()) BEGIN DELETE FROM \(table()); END",
            "ANALYZE", "REINDEX",
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) "
                + "INSERT INTO \(table()) (id, a, b) SELECT i, i, i FROM n")
    }
}
