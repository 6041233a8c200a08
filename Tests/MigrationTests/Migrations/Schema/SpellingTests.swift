import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Schemas written differently")
struct SpellingTests {
    private static let tables = [
        "CREATE TABLE t (a INTEGER, \"key\" TEXT, g BLOB)", "CREATE TABLE p (id INTEGER PRIMARY KEY)",
    ]

    private func differences(_ one: [String], _ other: [String]) throws -> [String] {
        try SchemaSnapshotTests.snapshot(one).differences(from: SchemaSnapshotTests.snapshot(other))
            .map { "\($0.type) \($0.name): \($0.details)" }
    }

    @Test(
        "Two ways to write the same schema do not differ",
        arguments: [
            // White space, comments, case.
            ("CREATE TABLE x (a, b)", "create table X(A,B)"),
            ("CREATE TABLE x (a, b)", "CREATE TABLE x\n(\n  a, -- the first\n  b /* last */\n);"),
            ("CREATE TABLE x (a DECIMAL(10,2))", "CREATE TABLE x (a decimal ( 10 , 2 ))"),
            ("CREATE TABLE x (a ANY) STRICT", "CREATE TABLE x (a any) strict ; ;"),
            // Quoting.
            ("CREATE TABLE x (a, b)", "CREATE TABLE \"x\" ([a], `b`)"),
            ("CREATE TABLE x (a, b)", "CREATE TABLE 'x' ('a', 'b')"),
            ("CREATE TABLE x (\"key\", \"left\")", "CREATE TABLE x (key, left)"),
            ("CREATE TABLE x (\"a b\" TEXT)", "CREATE TABLE x ([A B] \"TEXT\")"),
            ("CREATE TABLE x (a CHECK (a > 0))", "CREATE TABLE x (\"a\" CHECK (\"A\" > 0))"),
            (
                "CREATE TABLE x (left CHECK (left > 0))",
                "CREATE TABLE x (left CHECK (\"left\" > 0))"
            ),
            ("CREATE TABLE x (a COLLATE nocase)", "CREATE TABLE x (a COLLATE \"NOCASE\")"),
            ("CREATE TABLE x (ä)", "CREATE TABLE x (\"ä\")"),
            // Implied if omitted.
            ("CREATE TABLE IF NOT EXISTS x (a)", "CREATE TABLE main.x (a)"),
            ("CREATE TABLE x (a INTEGER PRIMARY KEY)", "CREATE TABLE x (a INTEGER PRIMARY KEY ASC)"),
            (
                "CREATE TABLE x (a, b AS (a) VIRTUAL)",
                "CREATE TABLE x (a, b GENERATED ALWAYS AS (a))"
            ),
            ("CREATE TABLE x (a DEFAULT 1)", "CREATE TABLE x (a DEFAULT (1))"),
            ("CREATE TABLE x (a DEFAULT -1)", "CREATE TABLE x (a DEFAULT ((- 1)))"),
            ("CREATE TABLE x (a DEFAULT 'b')", "CREATE TABLE x (a DEFAULT \"b\")"),
            ("CREATE TABLE x (a DEFAULT b)", "CREATE TABLE x (a DEFAULT 'b')"),
            (
                "CREATE TABLE x (a DEFAULT CURRENT_TIME)",
                "CREATE TABLE x (a DEFAULT (current_time))"
            ),
            ("CREATE TABLE x (a DEFAULT 0X1F)", "CREATE TABLE x (a DEFAULT 0x1f)"),
            ("CREATE TABLE x (a DEFAULT X'AB')", "CREATE TABLE x (a DEFAULT x'ab')"),
            ("CREATE TABLE x (a REFERENCES p (id))", "CREATE TABLE x (a REFERENCES \"P\" ([ID]) ON DELETE NO ACTION)"),
            (
                "CREATE TABLE x (a REFERENCES p ON DELETE CASCADE ON UPDATE SET NULL)",
                "CREATE TABLE x (a REFERENCES p ON UPDATE SET NULL ON DELETE CASCADE)"
            ),
            // Insignificant order.
            (
                "CREATE TABLE x (a TEXT NOT NULL DEFAULT 'b' COLLATE nocase UNIQUE)",
                "CREATE TABLE x (a TEXT UNIQUE COLLATE nocase DEFAULT 'b' NOT NULL)"
            ),
            (
                "CREATE TABLE x (a, b, UNIQUE (a), CHECK (b), FOREIGN KEY (a) REFERENCES p)",
                "CREATE TABLE x (a, b, CHECK (b) FOREIGN KEY (a) REFERENCES p UNIQUE (a))"
            ),
            (
                "CREATE TABLE x (a INT PRIMARY KEY) STRICT, WITHOUT ROWID",
                "CREATE TABLE x (a INT PRIMARY KEY) WITHOUT ROWID, STRICT"
            ),
            // Indexes.
            ("CREATE INDEX x ON t (a, key)", "CREATE INDEX IF NOT EXISTS main.x ON T(\"a\" ASC,[key]);"),
            ("CREATE INDEX x ON t (a COLLATE nocase DESC)", "CREATE INDEX x ON t ('a' collate 'NOCASE' desc)"),
            ("CREATE INDEX x ON t (lower(key)) WHERE a > 1", "CREATE INDEX x ON t(LOWER(\"key\"))WHERE a>1"),
            // Views.
            ("CREATE VIEW x AS SELECT a FROM t", "CREATE VIEW IF NOT EXISTS main.x AS\nselect \"A\" from main.T;"),
            ("CREATE VIEW x (y) AS SELECT t.a FROM t", "CREATE VIEW x(\"Y\") AS SELECT \"T\".[a] FROM \"main\".t"),
            ("CREATE VIEW x AS SELECT a AS total FROM t", "CREATE VIEW x AS SELECT a AS \"Total\" FROM t"),
            (
                "CREATE VIEW x AS WITH r AS (SELECT a FROM t) SELECT r.a FROM r",
                "CREATE VIEW x AS WITH \"R\" AS (SELECT a FROM t) SELECT R.\"a\" FROM \"R\""
            ),
            // Triggers.
            (
                "CREATE TRIGGER x BEFORE INSERT ON t BEGIN SELECT 1; END",
                "create trigger if not exists x insert on \"t\" for each row begin select 1 ; end"
            ),
            (
                "CREATE TRIGGER x AFTER UPDATE OF a ON t WHEN new.key > 1 BEGIN DELETE FROM p; END",
                "CREATE TRIGGER main.x AFTER UPDATE OF [A] ON T WHEN \"new\".\"KEY\">1 BEGIN DELETE FROM \"p\";END"
            ),
            // Virtual tables.
            (
                "CREATE VIRTUAL TABLE x USING fts5(title, body, tokenize='porter')",
                "create virtual table if not exists X using FTS5( \"title\",Body , tokenize = porter )"
            ), ("CREATE VIRTUAL TABLE x USING rtree(id, x0, x1)", "CREATE VIRTUAL TABLE [x] USING rtree( id,x0,x1 )"),
        ])
    func equal(one: String, other: String) throws {
        #expect(try differences(Self.tables + [one], Self.tables + [other]) == [])
    }

    @Test(
        "ALTER TABLE results in the same schema as CREATE TABLE",
        arguments: [
            (
                ["CREATE TABLE x (a)", "ALTER TABLE x ADD COLUMN b TEXT DEFAULT 'c'"],
                "CREATE TABLE x (a, b TEXT DEFAULT 'c')"
            ), (["CREATE TABLE x (a, UNIQUE (a))", "ALTER TABLE x ADD b"], "CREATE TABLE x (a, b, UNIQUE (a))"),
            (
                ["CREATE TABLE x (a -- one\n)", "ALTER TABLE x ADD COLUMN b INT /* two */"],
                "CREATE TABLE x (a, b INT)"
            ),
            (["CREATE TABLE y (a, b)", "ALTER TABLE y RENAME TO x"], "CREATE TABLE x (a, b)"),
            (
                [
                    "CREATE TABLE x (a CHECK (a > 0), b AS (a), UNIQUE (a))",
                    "ALTER TABLE x RENAME COLUMN a TO c",
                ],
                "CREATE TABLE x (c CHECK (c > 0), b AS (c), UNIQUE (c))"
            ), (["CREATE TABLE x (a, b, c)", "ALTER TABLE x DROP COLUMN b"], "CREATE TABLE x (a, c)"),
            (
                ["CREATE TABLE x (a, b)", "ALTER TABLE x DROP COLUMN b", "ALTER TABLE x ADD COLUMN b"],
                "CREATE TABLE x (a, b)"
            ),
        ])
    func altered(statements: [String], created: String) throws {
        #expect(try differences(statements, [created]) == [])
    }

    @Test(
        "Renaming reaches indexes, views, triggers and references, and quotes the new names there")
    func renamed() throws {
        func schema(_ table: String, _ column: String) -> [String] {
            [
                "CREATE TABLE \(table) (\(column) INTEGER PRIMARY KEY, b)",
                "CREATE TABLE child (p REFERENCES \(table) (\(column)))",
                "CREATE INDEX i ON \(table) (b) WHERE \(column) > 1",
                "CREATE VIEW v AS SELECT \(table).\(column) FROM \(table)",
                "CREATE TRIGGER g AFTER UPDATE OF \(column) ON \(table) BEGIN "
                    + "DELETE FROM \(table) WHERE \(column) = new.\(column); END",
            ]
        }
        let renamed =
            schema("old", "former") + [
                "ALTER TABLE old RENAME TO fresh", "ALTER TABLE fresh RENAME COLUMN former TO present",
            ]
        #expect(try differences(renamed, schema("fresh", "present")) == [])
    }

    @Test(
        "A double-quoted word that names nothing is a string, whose case counts",
        arguments: [
            ("CREATE TABLE x (a DEFAULT \"Abc\")", "CREATE TABLE x (a DEFAULT \"abc\")"),
            ("CREATE TABLE x (a DEFAULT Abc)", "CREATE TABLE x (a DEFAULT abc)"),
            ("CREATE TABLE x (a DEFAULT [true])", "CREATE TABLE x (a DEFAULT true)"),
            (
                "CREATE TABLE x (a DEFAULT \"current_date\")",
                "CREATE TABLE x (a DEFAULT current_date)"
            ),
            ("CREATE TABLE x (a CHECK (a <> 'b'))", "CREATE TABLE x (a CHECK (a <> 'B'))"),
        ])
    func strings(one: String, other: String) throws {
        #expect(try differences([one], [other]).count == 1)
    }

    /// Our own connections refuse these; files of others can contain them, and SQLite reads them.
    @Test(
        "The same holds for definitions by other programs",
        arguments: [
            ("CHECK (a <> \"Bob\")", "CHECK (a <> \"bob\")", false),
            ("CHECK (a <> \"Bob\")", "CHECK (a <> 'Bob')", true), ("CHECK (a <> \"B\")", "CHECK (a <> b)", true),
            ("CHECK (a <> \"b\" || \"rowid\")", "CHECK (a <> [B] || rowid)", true),
            ("DEFAULT (\"Ab\" || 'c')", "DEFAULT (\"ab\" || 'c')", false),
            ("DEFAULT (\"Ab\" || 'c')", "DEFAULT ('Ab' || 'c')", true),
            ("DEFAULT (\"abs\"(1))", "DEFAULT (ABS(1))", true),
        ])
    func legacyStrings(one: String, other: String, areEqual: Bool) {
        func form(_ constraint: String) -> DefinedObject {
            var object = DefinedObject(type: "table", name: "x", table: "x", sql: "CREATE TABLE x (a \(constraint), b)")
            object.readTable()
            return object
        }
        #expect(form(one).isSame(as: form(other)) == areEqual)
    }

    @Test(
        "In a view, the case of a name does not matter, but that of a possible string does",
        arguments: [
            ("\"Bob\"", "\"bob\"", false), ("\"Bob\"", "[bob]", false), ("\"A\"", "a", true),
            ("\"T\".a", "t.\"A\"", true), ("a AS \"Sum\"", "A as sum", true),
            ("`Bob`", "bob", true),
            ("max(\"A\")", "MAX(a)", true), ("\"MAX\"(a)", "max(a)", true),
        ])
    func legacyViews(one: String, other: String, areEqual: Bool) {
        func form(_ column: String) -> DefinedObject {
            var object = DefinedObject(
                type: "view", name: "x", table: "x", sql: "CREATE VIEW x AS SELECT \(column) FROM t")
            object.read(names: ["t", "a"]) { _ in [] }
            return object
        }
        #expect(form(one).isSame(as: form(other)) == areEqual)
    }

    @Test("Texts that Unicode considers equal differ, since SQLite compares bytes")
    func bytes() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        #expect(one == two && ExactText(one) != ExactText(two))
        for sql in [
            "CREATE TABLE x (a DEFAULT '?')", "CREATE TABLE x (a CHECK (a <> '?'))",
            "CREATE TABLE x (?)",
            "CREATE TABLE ? (a)", "CREATE VIEW x AS SELECT '?'",
        ] {
            let names = [one, two].map { sql.replacing("?", with: $0) }
            let first = try SchemaSnapshotTests.snapshot([names[0]])
            #expect(try first.differences(from: SchemaSnapshotTests.snapshot([names[1]])) != [], "\(sql)")
        }
        // Both can exist at once, and each is compared.
        func both(_ last: String) throws -> SchemaSnapshot {
            try SchemaSnapshotTests.snapshot([
                "CREATE TABLE \(one) (\(one), \(two))", "CREATE TABLE \(two) (\(one), \(two) \(last))",
            ])
        }
        #expect(try both("TEXT").count == 2)
        let details = try both("TEXT").differences(from: both("BLOB")).flatMap(\.details)
        #expect(details.map(ExactText.init(_:)) == [ExactText("column \(two): text, expected blob")])
    }
}
