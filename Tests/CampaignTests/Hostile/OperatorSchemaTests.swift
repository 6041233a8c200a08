import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The operator's ways to run privileged functions with a program's keys: one test each.
struct OperatorSchemaTests {
    private let work: SchemaOperator

    init() throws { work = try SchemaOperator() }

    private var bench: SealedTableWorkbench { work.bench }

    /// The program's insert, and the code it was refused with.
    private func insert() throws -> LockstepError.Code? {
        try Refusal.code {
            try bench.open().execute("INSERT INTO film_open (id, title) VALUES (100, 'Laura')")
        }
    }

    private static let call = "lockstep_seal(0, 'FORGED', 7)"

    @Test(
        "a call in a table's own text is refused when the file is opened",
        arguments: [
            "z BLOB NOT NULL DEFAULT (\(call))", "z BLOB DEFAULT (\(call))",
            "z BLOB AS (\(call)) VIRTUAL", "z BLOB AS (\(call)) STORED", "z CHECK (\(call) <> 1)",
            "CHECK (\(call) <> 1)", "z DEFAULT (lower(LOCKSTEP_SEAL /* ( */ (0, 'FORGED', 7)))",
            "z DEFAULT (\"lockstep_seal\"(0, 'FORGED', 7))", "z DEFAULT (\"lockstep_seal\"\u{FEFF}(0, 'FORGED', 7))",
            "z DEFAULT ([lockstep_seal]\n(0, 'FORGED', 7))",
            "z CHECK ('\u{301}' || `lockstep_token`(0, 1, 'guess') <> 1)",
        ])
    func tableText(clause: String) throws {
        try work.addToFilm(clause)
        #expect(try insert() == .foreignSchema)
        #expect(try !work.shows("Laura"))
    }

    @Test("a call in a partial index or an expression index is refused when the file is opened") func indexes() throws {
        for sql in ["CREATE INDEX i ON film (year) WHERE length(title)", "CREATE INDEX i ON film (length(title))"] {
            let work = try SchemaOperator()
            try work.tamper(
                sql,
                "UPDATE sqlite_schema SET sql = replace(sql, 'length(title)', 'lockstep_open(0, title, id)') WHERE name = 'i'"
            )
            Refusal.expect(.foreignSchema) { _ = try work.bench.open() }
        }
    }

    @Test(
        "a call in a view or a trigger is refused when the file is opened",
        arguments: [
            "CREATE VIEW v AS SELECT \(call)",
            "CREATE TRIGGER t AFTER INSERT ON film BEGIN INSERT INTO loot VALUES (\(call)); END",
            "CREATE TRIGGER t BEFORE UPDATE ON film WHEN \(call) BEGIN SELECT 1; END",
        ])
    func viewsAndTriggers(sql: String) throws {
        try work.tamper(sql)
        #expect(try insert() == .foreignSchema)
        #expect(try work.loot() == [])
    }

    @Test(
        "the same, planted while the program has the file open, is refused in its next transaction")
    func later() throws {
        let connection = try bench.open()
        try work.tamper("CREATE TRIGGER t AFTER INSERT ON film BEGIN INSERT INTO loot VALUES (\(Self.call)); END")
        // Without a transaction there is no check; SQLite refuses the function.
        #expect(throws: LockstepError.self) {
            try connection.execute("INSERT INTO film_open (id, title) VALUES (100, 'Laura')")
        }
        Refusal.expect(.foreignSchema) {
            try connection.write {
                try $0.execute("INSERT INTO film_open (id, title) VALUES (101, 'x')")
            }
        }
        #expect(try work.loot() == [])
    }

    @Test(
        "an unchecked CHECK or stored column meets a function that requires the capability"
    )
    func capability() throws {
        for clause in ["CHECK (\(Self.call) <> 1)", "z BLOB AS (\(Self.call)) STORED"] {
            let work = try SchemaOperator()
            let connection = try work.bench.open()
            try work.addToFilm(clause)
            let code = try Refusal.code {
                try connection.execute("INSERT INTO film_open (id, title) VALUES (100, 'Laura')")
            }
            // SQLite refuses the call, or the whole schema.
            #expect(code == .denied || code == .sqlFailed || code == .damaged, "\(String(describing: code))")
            #expect(try work.bench.open([]).texts("SELECT title FROM film WHERE id = 100") == [])
        }
    }

    @Test("an FTS5 table over the sealed table indexes cells, and over the readable view nothing")
    func searchTable() throws {
        try work.tamper(
            "CREATE VIRTUAL TABLE found USING fts5(title, content='film', content_rowid='id')",
            "CREATE TRIGGER t AFTER INSERT ON film BEGIN INSERT INTO found (rowid, title) VALUES (NEW.id, NEW.title); END",
            "CREATE VIRTUAL TABLE opened USING fts5(title, content='film_open', content_rowid='id')")
        #expect(try insert() == nil)
        let connection = try bench.open()
        #expect(
            try connection.query("SELECT rowid FROM found WHERE found MATCH 'laura'") { row in
                try row[0] as Int64
            } == [])
        #expect(throws: LockstepError.self) {
            _ = try connection.texts("SELECT title FROM opened")
        }
        #expect(try !work.shows("Laura") && !work.shows("laura"))
    }

    @Test("FTS4's content functions cannot be the functions that open and seal")
    func compression() throws {
        try work.tamper(
            "CREATE VIRTUAL TABLE kept USING fts4(x, compress=length, uncompress=hex)",
            "CREATE TRIGGER t AFTER INSERT ON film BEGIN INSERT INTO kept (docid, x) VALUES (NEW.id, NEW.title); END",
            "UPDATE sqlite_schema SET sql = replace(replace(sql, '=length', '=lockstep_seal'), '=hex', '=lockstep_open') WHERE name = 'kept'"
        )
        let code = try insert()
        #expect(code == .denied || code == .sqlFailed)
        #expect(try !work.shows("Laura"))
    }

    @Test("a table whose name is written in another case keeps its view")
    func otherLetters() throws {
        try work.tamper(
            "UPDATE sqlite_schema SET sql = replace(sql, 'TABLE film', 'TABLE FILM') WHERE name = 'film'",
            "UPDATE sqlite_schema SET tbl_name = 'FILM' WHERE tbl_name = 'film'",
            "UPDATE sqlite_schema SET name = 'FILM' WHERE name = 'film'")
        #expect(try insert() == nil)
        #expect(try bench.open().texts("SELECT title FROM film_open WHERE id = 100") == ["Laura"])
        #expect(try !work.shows("Laura"))
        // Without the view, a table of its name would take plaintext.
        try work.tamper("CREATE TABLE film_open (id INTEGER PRIMARY KEY, title)")
        #expect(try insert() == .misuse)
        #expect(try !work.shows("Laura"))
    }

    @Test(
        "an object with a view's name stays hidden while the file is open, even if the check fails")
    func hidden() throws {
        let connection = try bench.open()
        try work.tamper("CREATE TABLE film_open (id INTEGER PRIMARY KEY, title, year, note)")
        Refusal.expect(.misuse) { try connection.write { _ in } }
        try connection.execute("INSERT INTO film_open (id, title) VALUES (100, 'Laura')")
        #expect(try connection.texts("SELECT title FROM film_open WHERE id = 100") == ["Laura"])
        #expect(try !work.shows("Laura"))
        try work.tamper("DROP TABLE film_open")
        try connection.write { try $0.execute("DELETE FROM film_open WHERE id = 100") }
    }

    @Test("after a failed migration, nothing takes the place of the readable view") func afterFailure() throws {
        let connection = try bench.open()
        let set = try MigrationSet(
            name: "films",
            files: [
                (
                    name: "0001_a.sql",
                    content: """
                    -- lockstep: up
                    CREATE TABLE film_open (id INTEGER PRIMARY KEY, title, year, note);
                    """
                ), (name: "0002_b.sql", content: "-- lockstep: up\nINSERT INTO nowhere VALUES (1);"),
            ])
        #expect(throws: LockstepError.self) { _ = try Migrator(set).run(on: connection) }
        #expect(throws: LockstepError.self) {
            try connection.execute("INSERT INTO film_open (id, title) VALUES (100, 'Laura')")
        }
        Refusal.expect(.denied) { _ = try connection.texts("SELECT * FROM film_open") }
        #expect(try !work.shows("Laura"))
    }

    @Test("a renamed table is missed, whatever takes its place")
    func renamed() throws {
        try work.tamper("ALTER TABLE film RENAME TO gone")
        #expect(try insert() == .registryForged)
        try work.tamper(
            "CREATE VIEW film AS SELECT * FROM gone",
            "CREATE TRIGGER t INSTEAD OF INSERT ON film BEGIN INSERT INTO loot VALUES (NEW.title); END")
        #expect(try insert() == .registryForged)
        #expect(try work.loot() == [])
    }

    @Test("an added column takes its literal default but no expression")
    func added() throws {
        try work.tamper("ALTER TABLE film ADD COLUMN kind TEXT NOT NULL DEFAULT 'feature'")
        #expect(try insert() == nil)
        #expect(try bench.open().texts("SELECT kind FROM film WHERE id = 100") == ["feature"])
        try work.addToFilm("later TEXT NOT NULL DEFAULT ('a' || 'b')")
        do {
            try bench.open().execute("INSERT INTO film_open (id, title) VALUES (101, 'Gilda')")
            Issue.record("it was inserted")
        } catch let error as LockstepError {
            #expect(error.code == .constraint)
            #expect(
                "\(error)".contains("an insert through film_open must name later"), "\(error)")
        }
        // Named, it succeeds; and literal defaults continue to work.
        try bench.open().execute("INSERT INTO film_open (id, title, later) VALUES (101, 'Gilda', 'named')")
        #expect(
            try bench.open().texts("SELECT later || kind FROM film WHERE id = 101")
                == ["namedfeature"])
    }

    @Test(
        "a default that only looks like a literal enters no SQL of the engine",
        arguments: [
            "('a' || \(call))", "(1 + 1)", "(-(5))", "('') -- '", "('\u{301}' || 'x')", "(abs(-1))",
        ])
    func onlyLooksSo(standard: String) throws {
        try work.tamper(
            "UPDATE sqlite_schema SET sql = replace(sql, 'year INTEGER', \(SQLTokens.quoteText("year INTEGER NOT NULL DEFAULT \(standard)\n"))) WHERE name = 'film'"
        )
        let connection = try bench.open([])
        let shape = try #require(try SealedTable("film", connection))
        if standard != "('') -- '" { #expect(shape.column("year")?.literalDefault == nil) }
        for statement in ViewSQL(
            DecryptingViews.Group(shape: shape, columns: [], capability: try CellCapability())
        ).statements {
            #expect(!statement.contains("FORGED") && !statement.contains("abs"), "\(statement)")
        }
    }

    @Test(
        "names with quotes and combining marks stay names",
        arguments: [
            "a\"b", "q\"\u{301}", "it's", "it'\u{301}s", "new\nline",
            "x\" || lockstep_seal(0,1) || \"",
            "a)b", "a--b", "/*", "NEW", "lockstep_row",
        ])
    func names(name: String) throws {
        let connection = try bench.open()
        let table = SQLTokens.quote("t \(name)")
        try connection.execute(
            "CREATE TABLE \(verbatim: table) (id INTEGER PRIMARY KEY, \(name: name) TEXT NOT NULL DEFAULT 'std', secret)"
        )
        try connection.protect("secret", of: "t \(name)", keys: bench.keys)
        try work.tamper(
            "UPDATE sqlite_schema SET sql = replace(sql, \(SQLTokens.quoteText("'std'")), '(''s'' || ''td'')') WHERE type = 'table' AND name = \(SQLTokens.quoteText("t \(name)"))"
        )
        let again = try bench.open()
        let view = SQLTokens.quote("t \(name)_open")
        let insert: SQL = "INSERT INTO \(verbatim: view) (secret) VALUES ('Laura')"
        let error = #expect(throws: LockstepError.self) { try again.execute(insert) }
        #expect(error?.code == .constraint && error?.message.contains("must name") == true)
        try again.execute("INSERT INTO \(verbatim: view) (\(name: name), secret) VALUES ('x', 'Laura')")
        #expect(try again.texts("SELECT secret FROM \(view)") == ["Laura"])
        #expect(try !work.shows("Laura"))
    }

    @Test(
        "an object that would replace SQLite's pragmas is refused, whatever the case of its type",
        arguments: ["table", "TABLE", "Table"])
    func pragmaShadow(type: String) throws {
        try work.tamper(
            "CREATE TABLE pragma_table_list (schema, name, type, ncol, wr, strict)",
            "UPDATE sqlite_schema SET type = '\(type)' WHERE name = 'pragma_table_list'")
        #expect(try insert() == .foreignSchema)
    }

    @Test("triggers on the engine's tables, and computed sealed columns, are refused")
    func misled() throws {
        try work.tamper("CREATE TRIGGER t AFTER INSERT ON lockstep_column BEGIN DELETE FROM lockstep_dataset; END")
        #expect(try insert() == .foreignSchema)
        try work.tamper(
            "DROP TRIGGER t",
            "UPDATE sqlite_schema SET sql = replace(sql, 'title TEXT NOT NULL DEFAULT ''untitled''', 'title TEXT AS (note)') WHERE name = 'film'"
        )
        #expect(try insert() == .foreignSchema)
    }

    @Test("computed tokens are refused")
    func computedTokens() throws {
        let work = try SchemaOperator(index: .init(.casefold, bits: 63))
        try work.tamper(
            "UPDATE sqlite_schema SET sql = replace(sql, '\"title_casefold_token\" INTEGER', '\"title_casefold_token\" INTEGER AS (year)') WHERE name = 'film'"
        )
        Refusal.expect(.foreignSchema) { _ = try work.bench.open() }
    }

    @Test("where equal values have equal cells, the file's default for a sealed column is not used")
    func guessedDefault() throws {
        let work = try SchemaOperator(index: .init(.exact, bits: 63))
        let connection = try work.bench.open()
        let error = #expect(throws: LockstepError.self) {
            try work.bench.open().execute("INSERT INTO film_open (id) VALUES (100)")
        }
        #expect(error?.code == .constraint)
        #expect(error?.message.contains("must name title") == true)
        try connection.execute("INSERT INTO film_open (id, title) VALUES (100, 'untitled')")
        let match = try connection.matching("title", of: "film", .equal(.text("untitled")))
        let found = try connection.query("SELECT id FROM film_open WHERE \(match)") { row in
            try row[0] as Int64
        }
        #expect(found == [100])
    }
}
